package cli

// doctorSheet prints what can be profiled.
type doctorSheet struct{ sheet }
