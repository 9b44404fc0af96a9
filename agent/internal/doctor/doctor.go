// Package doctor checks what hotspan can profile on a machine and what is missing: kernel, permissions, processes.
package doctor

import (
	"slices"

	"github.com/hotspan/hotspan/agent/internal/procs"
)

// Diagnosis is the result of Diagnose.
type Diagnosis struct {
	Machine     []Finding     `json:"machine"`
	Permissions []Finding     `json:"permissions"`
	Processes   []NodeProcess `json:"-"`                // by pid
	Hidden      int           `json:"hidden,omitempty"` // may not be read by this user, and not named as Node
	Unseen      bool          `json:"unseen,omitempty"` // /proc does not show this user the processes of others
}

// Lacking returns the names of the findings that make sampling impossible; empty if it is possible.
func (d *Diagnosis) Lacking() []string {
	var out []string
	for _, f := range slices.Concat(d.Machine, d.Permissions) {
		if f.Mark == Missing {
			out = append(out, f.What)
		}
	}
	return out
}

// Diagnose checks the machine, the permissions of this user and all Node processes; with a pid other than 0 only that
// process, in detail. It stops no process. The error says that the process is not a Node process.
func Diagnose(pid int) (*Diagnosis, error) {
	d := &Diagnosis{Machine: machine(), Unseen: procs.Hidden()}
	var err error
	if pid != 0 {
		d.Processes, err = nodeProcess(pid)
	} else {
		d.Processes, d.Hidden, err = nodeProcesses()
	}
	if err != nil {
		return nil, err
	}
	d.Permissions = append(ownPIDNamespace(), permissions()...)
	proof := proveByLoading(d.Permissions)
	d.Permissions = append(d.Permissions, proof)
	d.trustProof(proof)
	return d, nil
}

// trustProof downgrades findings about the kernel to warnings if the BPF program could be loaded: distributions
// backport features to older kernels.
func (d *Diagnosis) trustProof(proof Finding) {
	if proof.Mark != OK {
		return
	}
	for i := range d.Machine {
		if f := &d.Machine[i]; f.Mark == Missing {
			f.Mark = Warning
			f.Found += "; the BPF program runs all the same"
		}
	}
}
