// Package api is the protocol of the socket on which the agent serves profiles: generated from hotspan.proto. Go
// programs use package client instead.
package api

//go:generate sh generate.sh
