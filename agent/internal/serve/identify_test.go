package serve

// IdentifyFD is for the tests that run as another user.
var IdentifyFD = identifyFD
