package layout

import "golang.org/x/arch/x86/x86asm"

// The builtins by which optimised code is left for the interpreter. They have offsets in V8's C++ objects as
// immediates. (src/builtins/x64/builtins-x64.cc, Generate_DeoptimizationEntry)
var deoptimizationEntries = []string{"Builtins_DeoptimizationEntry_Eager", "Builtins_DeoptimizationEntry_Lazy"}

// deoptimizerInput: the object that C++ has made is in rax, `mov disp(%rax),%rbx` loads the description of the frame.
func deoptimizerInput(_ *image, code []inst) (int64, error) {
	for _, i := range code {
		if d, ok := fieldOf(i.Args[1], x86asm.RAX); ok && i.Op == x86asm.MOV && i.Args[0] == x86asm.RBX {
			return d, nil
		}
	}
	return 0, errPattern
}

// frameContent: the frame is copied word by word to where `lea disp(%rbx),%rdx` points; its size is at (%rbx).
func frameContent(_ *image, code []inst) (int64, error) {
	size := false
	for _, i := range code {
		if d, ok := fieldOf(i.Args[1], x86asm.RBX); ok && i.Op == x86asm.MOV && i.Args[0] == x86asm.RCX && d == 0 {
			size = true
		}
		if d, ok := fieldOf(i.Args[1], x86asm.RBX); ok && i.Op == x86asm.LEA && i.Args[0] == x86asm.RDX && size {
			return d, nil
		}
	}
	return 0, errPattern
}
