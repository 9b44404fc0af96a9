// Package page tests the page of package pprofx/page in a browser. Its script does what a person does, and prints what
// the page then shows.
package page
