// Package tunnel reaches Jupyter servers on other machines through the system's ssh. A
// [Tunnel] finds the server that runs there, forwards a connection to it, and reopens
// itself when the connection breaks or the server is started again.
//
// The user's ssh configuration applies: aliases, keys, jump hosts. Nobody can answer a
// question of ssh, so a password or an unknown host key is an error that says what to do.
//
// One ssh process is one connection. It forwards a socket that only the user can open to
// the server, and runs a shell script on the other machine (list.sh) that answers requests:
// is anybody there, and which Jupyter servers run. The script ends when its standard
// input does, and ssh ends with the script. So nothing remains if this process is killed.
//
// # Goroutines
//
// The first request of a [Tunnel] starts one that owns the connection, until Close. Each ssh
// process has two more, which read its output and wait for its end. After the first call of
// Local, one accepts connections, and each connection has two. Close waits for all of them.
package tunnel
