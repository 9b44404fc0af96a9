package otlp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
)

// httpPath is the default path of OTLP/HTTP for profiles.
const httpPath = "/v1development/profiles"

// httpTransport sends messages by OTLP/HTTP in binary form.
type httpTransport struct {
	url    string
	client *http.Client
	header http.Header
	by     grpc.Compressor // nil: messages are sent as they are
}

func newHTTP(u *url.URL, c *Config) (transport, error) {
	if u.Port() == "" {
		u.Host += ":4318"
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = httpPath
	}
	header := http.Header{}
	for key, value := range c.Headers {
		header.Set(key, value)
	}
	header.Set("Content-Type", "application/x-protobuf")
	header.Set("User-Agent", c.Agent.UserAgent())
	header.Set(versionHeader, wireVersion)
	by := compressors[c.Compression]
	if by != nil {
		header.Set("Content-Encoding", by.Type())
	}
	through := http.DefaultTransport.(*http.Transport).Clone()
	through.TLSClientConfig = c.TLS
	client := &http.Client{Transport: through, CheckRedirect: NoRedirect}
	return &httpTransport{url: u.String(), client: client, header: header, by: by}, nil
}

// send implements transport.
func (t *httpTransport) send(ctx context.Context, message []byte) (answer, error) {
	content, err := t.body(message)
	if err != nil {
		return answer{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, content)
	if err != nil {
		return answer{}, err
	}
	request.Header = t.header.Clone()
	response, err := t.client.Do(request)
	if err != nil {
		return answer{}, status.Error(codes.Unavailable, err.Error())
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return answer{}, status.Error(codes.Unavailable, err.Error())
	}
	if !Accepted(response) {
		return answer{}, HTTPError(response, body)
	}
	if len(body) > maxAnswer {
		return unread, nil
	}
	a, err := parseAnswer(body)
	if err != nil {
		return answer{}, nil // it was accepted; what else the server says is in no form that OTLP knows
	}
	return a, nil
}

func (t *httpTransport) body(message []byte) (io.Reader, error) {
	if t.by == nil {
		return bytes.NewReader(message), nil
	}
	var b bytes.Buffer
	return &b, t.by.Do(&b, message)
}

// renew implements transport.
func (t *httpTransport) renew() { t.client.CloseIdleConnections() }

// Close closes idle connections.
func (t *httpTransport) Close() error {
	t.client.CloseIdleConnections()
	return nil
}

// NoRedirect is an http.Client.CheckRedirect that follows nothing: a redirected POST would become a GET, which any page
// answers.
func NoRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Accepted reports whether a response says that a request was accepted. A page for people does not: it is of another
// server, such as a proxy that wants a login, or one that has such a page for any path.
func Accepted(r *http.Response) bool {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return r.StatusCode/100 == 2 && !strings.EqualFold(strings.TrimSpace(kind), "text/html")
}

// HTTPError returns the error of a request that was refused with a response and its body, such that Refused tells what
// it means: the gRPC status that means the same (opentelemetry-proto, docs/specification.md, OTLP/HTTP Response). 429,
// 502, 503 and 504 are worth another try.
func HTTPError(r *http.Response, body []byte) error {
	code := codes.InvalidArgument
	switch r.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
		http.StatusRequestTimeout, http.StatusMisdirectedRequest, http.StatusTooEarly:
		code = codes.Unavailable
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone, http.StatusUnsupportedMediaType:
		code = codes.Unimplemented // of any snapshot
	case http.StatusUnauthorized, http.StatusProxyAuthRequired:
		code = codes.Unauthenticated
	case http.StatusForbidden:
		code = codes.PermissionDenied
	case http.StatusRequestEntityTooLarge:
		code = codes.ResourceExhausted
	default:
		switch {
		case r.StatusCode < http.StatusBadRequest: // a redirect or a page: profiles are taken somewhere else
			code = codes.Unimplemented
		case r.StatusCode >= http.StatusInternalServerError:
			code = codes.Internal
		}
	}
	answer := r.Status
	if to := r.Header.Get("Location"); to != "" && r.StatusCode/100 == 3 {
		answer += " to " + quote(to)
	}
	out := status.New(code, strings.TrimSpace(fmt.Sprintf("HTTP %s: %s", answer, said(r, body))))
	if wait, ok := retryAfter(r.Header); ok && code == codes.Unavailable {
		if with, err := out.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(wait)}); err == nil {
			out = with
		}
	}
	return out.Err()
}

// retryAfter returns how long a server asks to be left alone: so many seconds, or until a time. (RFC 9110, 10.2.3)
func retryAfter(h http.Header) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	until, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	now, err := http.ParseTime(h.Get("Date")) // by the server's clock, if it says so
	if err != nil {
		now = time.Now()
	}
	return max(until.Sub(now), 0), true
}

// said returns the message of an answer: a google.rpc.Status, or the beginning of a text.
func said(r *http.Response, body []byte) string {
	var s statuspb.Status
	if r.Header.Get("Content-Type") == "application/x-protobuf" && proto.Unmarshal(body, &s) == nil {
		return quote(s.Message)
	}
	return quote(body)
}
