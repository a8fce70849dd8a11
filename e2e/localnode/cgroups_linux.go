package localnode

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const cgroupRoot = "/sys/fs/cgroup"

// hierarchies are the folders with control groups: one of version 2, or those of
// the controllers of version 1.
func hierarchies() ([]string, error) {
	if _, err := os.Stat(filepath.Join(cgroupRoot, "cgroup.controllers")); err == nil {
		return []string{cgroupRoot}, nil
	}
	found, err := filepath.Glob(filepath.Join(cgroupRoot, "*", "cgroup.procs"))
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("no control groups in %s: mount them", cgroupRoot)
	}
	return found, err
}

// makeCgroups makes the group that holds the pods of a node.
func makeCgroups(name string) error {
	folders, err := hierarchies()
	if err != nil {
		return err
	}
	if slices.Equal(folders, []string{cgroupRoot}) {
		for _, controller := range []string{"cpu", "cpuset", "memory", "pids", "io"} {
			// One that is missing is named by the kubelet, should it need it.
			_ = os.WriteFile(filepath.Join(cgroupRoot, "cgroup.subtree_control"), []byte("+"+controller), 0)
		}
	}
	for _, folder := range folders {
		group := filepath.Join(folder, name)
		if err := os.MkdirAll(group, 0o755); err != nil {
			return err
		}
		// A group of version 1 takes no process before it has these.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			value, err := os.ReadFile(filepath.Join(folder, file))
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err == nil {
				err = os.WriteFile(filepath.Join(group, file), value, 0)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// removeCgroups removes the group and those below it, as soon as no process is in
// them.
func removeCgroups(name string) error {
	folders, err := hierarchies()
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		err = nil
		for _, folder := range folders {
			err = errors.Join(err, removeGroup(filepath.Join(folder, name)))
		}
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// removeGroup removes the innermost folders first; their files cannot be removed
// and need not be.
func removeGroup(group string) error {
	var groups []string
	err := filepath.WalkDir(group, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir():
			groups = append(groups, path)
		}
		return nil
	})
	for _, path := range slices.Backward(groups) {
		if removeErr := os.Remove(path); removeErr != nil && !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
	}
	return err
}
