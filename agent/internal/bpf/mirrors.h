// SPDX-License-Identifier: (GPL-2.0-only OR MIT)
// The types that Go needs beside those of maps. Only types of variables and of maps are put into BTF, from which the Go
// mirrors are generated.

#pragma once

#include "condition.h"
#include "event.h"
#include "learned.h"
#include "limits.h"
#include "off_cpu.h"
#include "process.h"
#include "thread_context.h"
#include "unwind.h"

const struct sample *go_sample;
const struct lifecycle *go_lifecycle;
const struct context_record *go_context_record;
const struct job_object *go_job_object;
const enum limit go_limit;
const enum none go_none;
const enum record_type go_record_type;
const enum stop go_stop;
const enum counter go_counter;
const enum frame_kind go_frame_kind;
const enum vm_state go_vm_state;
const enum gc_state go_gc_state;
const enum context_type go_context_type;
const enum mapping_kind go_mapping_kind;
const enum edge_kind go_edge_kind;
const enum value_kind go_value_kind;
const enum name_kind go_name_kind;
const enum place_kind go_place_kind;
const enum published_kind go_published_kind;
const enum work_kind go_work_kind;
const enum job_frame go_job_frame;
const enum symbol_kind go_symbol_kind;
const enum slot go_slot;
const enum kept go_kept;
const enum cfa_rule go_cfa_rule;
const enum rbp_rule go_rbp_rule;
const enum comparison go_comparison;
const enum operand go_operand;
const enum leave_state go_leave_state;
