package watch

// topHelp is what the screen of top shows for a question mark: as much as fits on 24 rows of 60 columns.
var topHelp = []string{
	"hotspan top: what used the CPU in the last seconds",
	"",
	"  g        by function, route, trace, thread in turn",
	"  t        by thread",
	"  l        lines of functions apart, or together",
	"  s S      sort by the next column; in reverse",
	"  1 2 3    sort by self, total, name",
	"  / c      filter by text; clear the filter",
	"  Enter    what the selected row is made of",
	"  Esc      back from there",
	"  up down  select a row; PgUp PgDn Home",
	"  p        pause the screen; sampling goes on",
	"  r        begin anew",
	"  x        trend on or off",
	"  + -      twice the rate of samples, or half",
	"  q        quit, also Ctrl-C",
	"",
	"self    the function ran, with what V8, Node and the",
	"        kernel did for it",
	"total   and what it called",
	"trend   self CPU time over the window, newest right",
	"",
	"Any key goes back.",
}
