// Package viewers tests files of package pprofx/viewers with the programs that open them. Its scripts print what these
// understand.
package viewers
