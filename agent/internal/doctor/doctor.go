// Package doctor says what can be profiled on a machine and what is missing: kernel, permissions, processes.
package doctor

import (
	"slices"
)

// Diagnosis is what Diagnose found out about the machine, the user and the Node.js processes.
type Diagnosis struct {
	Machine     []Finding
	Permissions []Finding
	Processes   []NodeProcess // by pid
	Hidden      int           // processes of others that may not be looked at and whose names do not tell of Node.js
}

// Lacking names what makes sampling impossible; empty if it is possible.
func (d *Diagnosis) Lacking() []string {
	var out []string
	for _, f := range slices.Concat(d.Machine, d.Permissions) {
		if f.Mark == Missing {
			out = append(out, f.What)
		}
	}
	return out
}

// Diagnose looks at the machine, at what this user may do, and at all Node.js processes; with a pid other than 0 only
// at that process, more closely. It stops no process. The error says that the pid is none of a Node.js process.
func Diagnose(pid int) (*Diagnosis, error) {
	d := &Diagnosis{Machine: machine()}
	var err error
	if pid != 0 {
		d.Processes, err = nodeProcess(pid)
	} else {
		d.Processes, d.Hidden, err = nodeProcesses()
	}
	if err != nil {
		return nil, err
	}
	d.Permissions = permissions()
	proof := proveByLoading(d.Permissions)
	d.Permissions = append(d.Permissions, proof)
	d.trustProof(proof)
	return d, nil
}

// trustProof takes back what was concluded from numbers where the program runs all the same: distributions bring
// newer parts of the kernel to older ones.
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
