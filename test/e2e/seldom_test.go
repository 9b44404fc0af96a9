package e2e

// seldom are tests that take long, and that concern few changes: half of them are run for a commit that draws.
// Neighbours take about as long.
var seldom = []string{
	"TestAddonProposal", "TestPathGone", "TestPolymorphic", "TestDiff", "TestRecipes", "TestFileBytes",
	"TestPathGoneRequests", "TestJitdumpInNode", "TestUnverified", "TestTracepoints", "TestSlowExecutable",
	"TestPerfInject", "TestConditions", "TestEndsDuringAttach", "TestAges", "TestSession", "TestLeastRights",
	"TestJitdump", "TestMany", "TestCrowd", "TestCPUBudget", "TestBeside", "TestAddonJobs", "TestAddonPool",
	"TestHoard", "TestMemoryIsGivenBack",
}
