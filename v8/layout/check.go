package layout

// check notes relations that hold in every V8 known and do not hold here.
func (l *Layout) check() {
	for _, f := range table {
		if l.Values[f.field].State == Unresolved {
			l.note("%s is unknown", f.field)
		}
	}
	if l.Has(IsolateTLS) && l.Values[IsolateTLS].N >= 0 {
		l.note("%s is %#x: not below the thread pointer", IsolateTLS, l.Values[IsolateTLS].N)
	}
	for _, pair := range [][2]Field{
		{IsolateContext, IsolateVMState}, {IsolateVMState, IsolateHeap}, {IsolateCPED, IsolateHeap},
		{KindRegexp, KindBaseline}, {TypeJSFunctionFirst, TypeJSFunctionLast}, {ScriptName, ScriptID},
	} {
		if l.Has(pair[0]) && l.Has(pair[1]) && l.At(pair[0]) >= l.At(pair[1]) {
			l.note("%s is not below %s", pair[0], pair[1])
		}
	}
}
