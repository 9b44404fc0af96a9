package otlp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The waits between tries double from the first to the longest, less a random part of up to a half.
const (
	firstWait = 500 * time.Millisecond
	maxWait   = 5 * time.Second
)

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

// nextTry reports whether to send again after err, and after what wait: one that grows, or the server's, if that is
// longer. Servers that are busy say 0, too.
func nextTry(err error, try int) (time.Duration, bool) {
	s := status.Convert(err)
	wait, told := retryDelay(s)
	switch {
	case told && (s.Code() == codes.ResourceExhausted || retryable[s.Code()]):
		return max(wait, backoffWait(try)), true
	case retryable[s.Code()]:
		return backoffWait(try), true
	}
	return 0, false
}

// Refused reports whether err says that a server will never take a snapshot as it is, because of its content or size,
// or since it has it. All other errors may pass, though some only when somebody mends the server or the configuration.
func Refused(err error) bool {
	s, ok := status.FromError(err)
	if !ok {
		return false
	}
	_, later := retryDelay(s)
	return s.Code() == codes.InvalidArgument || s.Code() == codes.AlreadyExists ||
		s.Code() == codes.ResourceExhausted && !later
}

// TooLarge reports whether err says that a server takes no message of that size, so that it may take parts of it. Of
// gRPC there is no other sign than the text: that of grpc-go and the C core, of grpc-java, and of .NET.
func TooLarge(err error) bool {
	text := strings.ToLower(status.Convert(err).Message())
	says := func(what string) bool { return strings.Contains(text, what) }
	return Refused(err) && (says("http 413") || says("message larger than max") || says("message exceeds ") ||
		says("message after decompression larger than max") || says("body too large"))
}

// Exhausted reports whether err says that a server takes nothing of anybody, or of us, and not until when. The
// specification has what is sent then dropped, and parts of it would be more of what the server has too much of.
func Exhausted(err error) bool {
	return Refused(err) && status.Code(err) == codes.ResourceExhausted && !TooLarge(err)
}

// Kind names what kind of error err is, by its gRPC code.
func Kind(err error) string { return status.Code(err).String() }

// RetryAfter returns how long err says that the server is to be left alone; 0: it does not.
func RetryAfter(err error) time.Duration {
	s, ok := status.FromError(err)
	if !ok || err == nil {
		return 0
	}
	wait, _ := retryDelay(s)
	return wait
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

// pause waits. It returns false at once if ctx ends before the wait would.
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

// ended returns why no time is left: ctx has ended, or would end before the next try.
func ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.DeadlineExceeded
}

// explain adds to err what the user probably has to do.
func explain(err error) error {
	switch status.Code(err) {
	case codes.Unimplemented:
		if strings.HasPrefix(status.Convert(err).Message(), "HTTP 3") {
			return fmt.Errorf("%w (a redirect is not followed: name the address that takes profiles)", err)
		}
		return fmt.Errorf("%w (the server does not accept profiles: a Collector needs "+
			"--feature-gates=service.profilesSupport and a profiles pipeline)", err)
	case codes.Unavailable:
		if strings.Contains(status.Convert(err).Message(), "looked like an HTTP/1.1 header") { // grpc-go says so
			return fmt.Errorf("%w (that port speaks HTTP, not gRPC, which mostly has port 4317; to send over HTTP, "+
				"hotspan agent has protocol=http/protobuf)", err)
		}
	case codes.ResourceExhausted:
		return fmt.Errorf("%w (if the size of the message is the reason: raise the server's limit, "+
			"max_recv_msg_size_mib in a Collector)", err)
	}
	return err
}
