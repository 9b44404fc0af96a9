package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// answerTimeout is how long a service may take to answer on a busy machine.
const answerTimeout = 30 * time.Second

// service is a Node.js process that serves HTTP.
type service struct {
	*exec.Cmd
	url    string
	client *http.Client
	ended  chan struct{} // closed when the process has ended

	served, failed atomic.Int64 // requests of load
}

// startService starts a service, whose command line has the name, and waits until it listens.
func startService(node, script, name string) (*service, error) {
	s := &service{ended: make(chan struct{}), client: &http.Client{Timeout: answerTimeout}}
	s.Cmd = exec.Command(node, "--no-warnings", script, "0", name)
	s.Stderr = os.Stderr
	out, err := s.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = s.Wait() // it is killed
		close(s.ended)
	}()
	port, ok := strings.CutPrefix(strings.TrimSpace(said), "listening ")
	if err != nil || !ok {
		return nil, errors.Join(fmt.Errorf("%s said %q: %w", script, said, err), s.kill())
	}
	s.url = "http://127.0.0.1:" + port
	return s, nil
}

// get requests a path, and returns what is answered.
func (s *service) get(path string) (string, error) {
	response, err := s.client.Get(s.url + path)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", path, response.Status)
	}
	return string(text), err
}

// load requests one page after the other until the service ends.
func (s *service) load() {
	for {
		if _, err := s.get("/work"); err != nil {
			s.failed.Add(1)
		} else {
			s.served.Add(1)
		}
		select {
		case <-s.ended:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// check says what is amiss with a service: it must be the process that was started, and answer.
func (s *service) check() error {
	select {
	case <-s.ended:
		return fmt.Errorf("service %d has ended: %v", s.Process.Pid, s.ProcessState)
	default:
	}
	if failed := s.failed.Swap(0); failed > 0 {
		return fmt.Errorf("service %d has failed %d requests", s.Process.Pid, failed)
	}
	if _, err := s.get("/work"); err != nil {
		return fmt.Errorf("service %d does not serve: %w", s.Process.Pid, err)
	}
	return nil
}

// answersAgain waits until a service that became another program answers.
func (s *service) answersAgain() error {
	for end := time.Now().Add(answerTimeout); ; time.Sleep(20 * time.Millisecond) {
		_, err := s.get("/work")
		if err == nil || time.Now().After(end) {
			return err
		}
	}
}

// kill ends the process as kill -9 does.
func (s *service) kill() error {
	err := s.Process.Signal(syscall.SIGKILL)
	<-s.ended
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
