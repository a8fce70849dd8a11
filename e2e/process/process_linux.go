package process

import "syscall"

// attributes put a program into a group of its own and have the kernel end it
// when the program that started it ends, also by SIGKILL.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
