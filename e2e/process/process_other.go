//go:build !linux

package process

import "syscall"

// attributes put a program into a group of its own. Only Linux can be asked to
// end it with its parent.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
