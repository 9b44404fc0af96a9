package otlp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The waits between tries double from the first to the longest, less a random part of up to a half.
const (
	firstWait = 500 * time.Millisecond
	maxWait   = 5 * time.Second
)

// deliver sends one message, as often as it takes, until ctx ends.
func (e *Exporter) deliver(ctx context.Context, m pprofile.Profiles) (pprofileotlp.ExportPartialSuccess, error) {
	request := pprofileotlp.NewExportRequestFromProfiles(m)
	var last error
	for try := 1; ; try++ {
		response, err := e.try(ctx, request)
		if err == nil {
			return response.PartialSuccess(), nil
		}
		if ctx.Err() != nil && last != nil {
			err = last // says more than that time ran out
		}
		last = err
		wait, again := nextTry(err, try)
		if !again {
			return none(), explain(err)
		}
		if !pause(ctx, wait) {
			return none(), fmt.Errorf("gave up after %d tries (%w): %w", try, ended(ctx), explain(err))
		}
	}
}

func none() pprofileotlp.ExportPartialSuccess { return pprofileotlp.NewExportPartialSuccess() }

func (e *Exporter) try(ctx context.Context, r pprofileotlp.ExportRequest) (pprofileotlp.ExportResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, e.config.Timeout)
	defer cancel()
	return e.client.Export(ctx, r)
}

// retryable are the codes of OTLP's table (opentelemetry-proto, docs/specification.md, OTLP/gRPC Failures).
// RESOURCE_EXHAUSTED is in it only where the server says when to come back.
var retryable = map[codes.Code]bool{
	codes.Canceled:         true,
	codes.DeadlineExceeded: true,
	codes.Aborted:          true,
	codes.OutOfRange:       true,
	codes.Unavailable:      true,
	codes.DataLoss:         true,
}

// nextTry says whether to send again after err, and after what wait: the server's, or one that grows.
func nextTry(err error, try int) (time.Duration, bool) {
	s := status.Convert(err)
	wait, told := retryDelay(s)
	switch {
	case told && (s.Code() == codes.ResourceExhausted || retryable[s.Code()]):
		return wait, true
	case retryable[s.Code()]:
		return backoffWait(try), true
	}
	return 0, false
}

func retryDelay(s *status.Status) (time.Duration, bool) {
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.RetryInfo); ok {
			return max(info.GetRetryDelay().AsDuration(), firstWait/10), true
		}
	}
	return 0, false
}

func backoffWait(try int) time.Duration {
	wait := min(firstWait<<min(try-1, 10), maxWait)
	return wait - time.Duration(rand.Int64N(int64(wait/2)))
}

// pause waits, unless ctx ends before the wait would.
func pause(ctx context.Context, wait time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < wait {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// ended says why no time is left: ctx is over, or would be by the next try.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.DeadlineExceeded
}

// explain adds to err what a user is likely to have to do.
func explain(err error) error {
	switch status.Code(err) {
	case codes.Unimplemented:
		return fmt.Errorf("%w (the server takes no profiles: a Collector needs "+
			"--feature-gates=service.profilesSupport and a profiles pipeline)", err)
	case codes.ResourceExhausted:
		return fmt.Errorf("%w (if this is the size of the message: set a smaller largest one)", err)
	}
	return err
}
