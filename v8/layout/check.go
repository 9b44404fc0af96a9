package layout

// The oldest and the newest V8 that the rules of the table were checked with. There are tables of all official builds
// that are newer than some.
var oldest, newest = v(9, 0), newestOfficial()

// checkVersion says that this V8 is none of those that the rules were made for.
func (l *Layout) checkVersion() {
	switch minor := v(l.V8.Major, l.V8.Minor); {
	case minor.Compare(newest) > 0:
		l.note("V8 %s is newer than %d.%d, the newest that hotspan knows: what is told by rule is assumed to be "+
			"as it was there",
			l.V8, newest.Major, newest.Minor)
	case minor.Compare(oldest) < 0:
		l.note("V8 %s is older than %d.%d, the oldest that hotspan knows: what is told by rule is assumed to be "+
			"as it was there",
			l.V8, oldest.Major, oldest.Minor)
	}
}

// check notes relations that hold in every V8 known and do not hold here.
func (l *Layout) check() {
	l.checkVersion()
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
		{KindBuiltin, KindRegexp}, {KindRegexp, KindJSToWasm}, {KindJSToWasm, KindBaseline},
		{TypeJSFunctionFirst, TypeJSFunctionLast}, {ScriptName, ScriptID},
	} {
		if l.Has(pair[0]) && l.Has(pair[1]) && l.At(pair[0]) >= l.At(pair[1]) {
			l.note("%s is not below %s", pair[0], pair[1])
		}
	}
}
