// The process context: what a process says about itself to readers outside it, in a memory mapping. (OpenTelemetry,
// OTEP 4719) It has the names of the keys that thread context records use. (OTEP 4947)

#pragma once

#include <stddef.h>
#include <stdint.h>

namespace hotspan {

// Publishes the attributes of the resource: repeated KeyValue of opentelemetry.proto.resource.v1.Resource, encoded.
// recordOffset is where an object has the address of its record, in bytes, 0 if only threads without JavaScript have
// records. A process has one
// process context: if there is one by another writer, its resource stays, and keys are added to its list. Returns
// whether readers can find records by the result.
bool PublishProcess(const uint8_t *resource, size_t size, uint32_t recordOffset);

// The number of a key, from 0 to 255. The first use of a key publishes it. -1: there is no room for it, or the key is
// empty or longer than 255 bytes.
int KeyNumber(const char *name, size_t length);

// Publishes the keys again if another writer has replaced the process context since. Cheap if not.
void KeepProcess();

} // namespace hotspan
