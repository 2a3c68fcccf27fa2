package jetstream_test

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
)

// withoutAcks starts a proxy before a NATS server that loses every acknowledgement of a job, and
// every sign that one is in work.
func withoutAcks(t *testing.T, server string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			up, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(client, up)
				client.Close()
				up.Close()
			}()
			go func() {
				forward(up, client)
				client.Close()
				up.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// forward copies the commands of a client except messages to $JS.ACK.
func forward(w io.Writer, r io.Reader) {
	commands := bufio.NewReaderSize(r, 1<<16)
	for {
		line, err := commands.ReadString('\n')
		if err != nil {
			return
		}
		fields := strings.Fields(line)
		body := 0
		if len(fields) > 2 && (fields[0] == "PUB" || fields[0] == "HPUB") {
			n, err := strconv.Atoi(fields[len(fields)-1])
			if err != nil {
				return
			}
			body = n + 2
		}
		message := make([]byte, body)
		if _, err := io.ReadFull(commands, message); err != nil {
			return
		}
		if body > 0 && strings.HasPrefix(fields[1], "$JS.ACK.") {
			continue
		}
		if _, err := io.WriteString(w, line+string(message)); err != nil {
			return
		}
	}
}
