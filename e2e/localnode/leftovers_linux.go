package localnode

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// leftovers finds what a node of this name, or any whose name begins so, has left
// on the machine: processes, mounts, control groups, network devices, folders.
func leftovers(name string) ([]string, error) {
	var found []string
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil, err
	}
	for _, process := range processes {
		// A process that ends meanwhile cannot be read and has left nothing.
		words, _ := os.ReadFile(filepath.Join(process, "cmdline"))
		groups, _ := os.ReadFile(filepath.Join(process, "cgroup"))
		if strings.Contains(string(words)+string(groups), name) {
			found = append(found, fmt.Sprintf("process %s: %s", filepath.Base(process), strings.ReplaceAll(string(words), "\x00", " ")))
		}
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, name) {
			found = append(found, "mount: "+strings.TrimSpace(line))
		}
	}
	patterns := []string{filepath.Join(os.TempDir(), name+"*"), "/run/netns/" + name + "*", "/sys/class/net/colocate-*"}
	folders, err := hierarchies()
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		patterns = append(patterns, filepath.Join(folder, name+"*"))
	}
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		found = append(found, paths...)
	}
	return found, nil
}

// hold marks a folder as that of a living node, until the process ends.
func hold(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// sweep removes what nodes left whose outside process was killed: the namespaces
// are gone with it, folder and control groups are not.
func sweep(steps *steps) error {
	folders, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		lock, err := hold(folder)
		if err != nil {
			continue // its node lives
		}
		if err := errors.Join(clear(folder), lock.Close()); err != nil {
			return err
		}
		steps.done("removed %s, left by a node that was killed", folder)
	}
	return nil
}

// clear removes control groups first: as long as the folder is there, the next
// start knows that there is something to do.
func clear(folder string) error {
	if err := removeCgroups(filepath.Base(folder)); err != nil {
		return err
	}
	return os.RemoveAll(folder)
}
