#!/bin/sh
# Generates the Go code of hotspan.proto with Debian's protoc; go generate runs this.
exec protoc --plugin="$(go tool -n protoc-gen-go)" --plugin="$(go tool -n protoc-gen-go-grpc)" \
	--go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative hotspan.proto
