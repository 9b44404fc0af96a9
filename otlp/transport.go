package otlp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// transport sends one marshalled message, once. An error says by its gRPC status whether to try again; see nextTry.
type transport interface {
	send(ctx context.Context, message []byte) (answer, error)
	renew() // has what is sent from now on go over a new connection
	Close() error
}

// answer is what a server says of a message that it has accepted.
type answer struct {
	rejected int64 // profiles
	message  string
}

// maxAnswer bounds what is read of a server's answer, in bytes. It is one more than what gRPC has by default, since a
// server that refuses a message says the same of its own bound as grpc-go says of this one: the number tells them
// apart.
const maxAnswer = 4<<20 + 1

// unread is an answer of more than maxAnswer to a message that was accepted: else a server has no answer but a status.
var unread = answer{message: "its answer has more than 4 MiB and is not read: whether it rejected a part is not known"}

// isUnread reports whether err is grpc-go's for an answer of more than maxAnswer, also before it was compressed. It has
// no other sign than its text.
func isUnread(err error) bool {
	s := status.Convert(err)
	bound := strings.TrimSuffix(s.Message(), ")")
	return s.Code() == codes.ResourceExhausted && strings.Contains(bound, "larger than max") &&
		strings.HasSuffix(bound, fmt.Sprint(" ", maxAnswer))
}

// parseAnswer reads an ExportProfilesServiceResponse, whose field 1 is an ExportProfilesPartialSuccess with the number
// of rejected profiles in field 1 and a message in field 2 (profiles_service.proto). The generated type would bring a
// whole HTTP gateway with it.
func parseAnswer(response []byte) (a answer, err error) {
	err = eachField(response, func(n protowire.Number, _ uint64, partial []byte) {
		if n != 1 || partial == nil {
			return
		}
		err = eachField(partial, func(n protowire.Number, number uint64, text []byte) {
			switch {
			case n == 1 && text == nil:
				a.rejected = int64(number)
			case n == 2 && text != nil:
				a.message = quote(text)
			}
		})
	})
	if err != nil {
		err = fmt.Errorf("the server's answer: %w", err)
	}
	return a, err
}

// maxQuote bounds what is quoted of a server's texts, in bytes: they stand in messages, with each snapshot.
const maxQuote = 500

// quote returns the beginning of a text.
func quote[T string | []byte](text T) string {
	if len(text) <= maxQuote {
		return valid(string(text))
	}
	return valid(string(text[:maxQuote])) + "…"
}

var errMalformed = errors.New("malformed protobuf")

// eachField calls do with the fields of a message that are numbers or bytes, which are nil for a number.
func eachField(message []byte, do func(n protowire.Number, number uint64, bytes []byte)) error {
	for len(message) > 0 {
		n, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return errMalformed
		}
		message = message[size:]
		var number uint64
		var bytes []byte
		switch kind {
		case protowire.VarintType:
			number, size = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			bytes, size = protowire.ConsumeBytes(message)
		default:
			size = protowire.ConsumeFieldValue(n, kind, message)
		}
		if size < 0 {
			return errMalformed
		}
		if kind == protowire.VarintType || kind == protowire.BytesType {
			do(n, number, bytes)
		}
		message = message[size:]
	}
	return nil
}
