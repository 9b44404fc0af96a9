package e2e

// seldom are tests that take long, and that concern few changes: a quarter of them is run for a commit that draws.
// Neighbours take about as long.
var seldom = []string{
	"TestPathGone", "TestAddon", "TestHangUp", "TestSession", "TestUnverified", "TestAddonProposal",
	"TestAddonBeside", "TestMutationOfOneKind", "TestRecipes", "TestAddonRegister", "TestAddonPoolHits",
	"TestAddonSpawn", "TestAddonPool", "TestWorkerShapes", "TestSharedLibrary", "TestSharedLibraryOfDebian13",
	"TestProbesLate",
	"TestAddonJobs", "TestWatch", "TestStrides", "TestDiff", "TestFileBytes", "TestPathGoneRequests",
	"TestWorkersOfOtherFiles", "TestPolymorphic", "TestJitdumpInNode", "TestManyHits", "TestPausedBuild",
	"TestTracepoints", "TestEndsDuringAttach", "TestMemoryIsGivenBack", "TestConditions", "TestExecveAtAttach",
	"TestSlowFiles", "TestBeside", "TestHoard", "TestSlowExecutable", "TestStalls", "TestContextsOfEachThread",
	"TestJitdump", "TestReturns", "TestMapOfAnotherBuild", "TestCrowd", "TestProbesBegin", "TestMany",
	"TestFormatsAgree", "TestAges", "TestCPUBudget", "TestLeastRights", "TestPerfInject",
	"TestFormatsOfWaits", "TestFullRing", "TestStream", "TestDoctorOnPublished",
	"TestCurrentStore", "TestAccessorStores", "TestBriefTurns", "TestStreamTellsLosses", "TestStripped", "TestChange",
	"TestStallProbe", "TestIsolates", "TestProbesOfMovingText", "TestLeaderEnds", "TestOptions", "TestMutation",
	"TestReturnsAfterKill", "TestHitPlaces", "TestStallProbeUnknown", "TestStallsOfWaits", "TestNamedLate",
	"TestManyWorkers", "TestChangedScript", "TestFrameRemoved", "TestReusedClasses",
	"TestManyStores", "TestTopLevelStore", "TestOwnStore", "TestWebAssemblyThrownAway", "TestBuiltins",
	"TestCoverage",
}
