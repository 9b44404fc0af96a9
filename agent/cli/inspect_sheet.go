package cli

// inspectSheet prints what is in a process or a core.
type inspectSheet struct{ sheet }
