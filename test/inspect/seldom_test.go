package inspect

// seldom are tests that take long, and that concern few changes: a quarter of them is run for a commit that draws.
// Neighbours take about as long.
var seldom = []string{
	"TestCorrupt", "TestPath", "TestAges", "TestAwait", "TestRequestsBusy", "TestRequests", "TestObjects",
	"TestAwaitOfCore", "TestStackOfGcore", "TestCompressed", "TestStop",
}
