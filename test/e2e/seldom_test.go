package e2e

// seldom are tests that take long, and that concern few changes: a third of them is run for a commit that draws.
// Neighbours take about as long.
var seldom = []string{
	"TestAddonRegister", "TestSharedLibrary", "TestWatch", "TestMutationOfOneKind", "TestProbesBegin",
	"TestProbesLate", "TestSlowFiles", "TestStrides", "TestWorkerShapes", "TestMapOfAnotherBuild", "TestStalls",
	"TestFormatsAgree", "TestManyHits", "TestAddonProposal", "TestPathGone", "TestPolymorphic", "TestDiff",
	"TestRecipes", "TestFileBytes", "TestPathGoneRequests", "TestJitdumpInNode", "TestUnverified", "TestTracepoints",
	"TestSlowExecutable", "TestPerfInject", "TestConditions", "TestEndsDuringAttach", "TestAges", "TestSession",
	"TestLeastRights", "TestJitdump", "TestMany", "TestCrowd", "TestCPUBudget", "TestBeside", "TestAddonJobs",
	"TestAddonPool", "TestHoard", "TestMemoryIsGivenBack",
}
