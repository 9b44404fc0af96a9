package nodes

import "github.com/hotspan/hotspan/test/draw"

// Drawn returns the versions of a list that are drawn for a test: every fourth one, or without a draw all.
func Drawn(list []Version, test string) []Version { return draw.Share(list, 4, test) }
