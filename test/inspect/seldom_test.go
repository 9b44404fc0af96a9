package inspect

// seldom are tests that take long, and that concern few changes: a third of them is run for a commit that draws.
// Neighbours take about as long.
var seldom = []string{"TestCorrupt", "TestAges", "TestPath", "TestAwait", "TestRequestsBusy", "TestStop"}
