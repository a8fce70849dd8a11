package rolemanifest

import (
	"fmt"
	"strconv"
	"strings"
)

// amounts are request and limit of one resource; nil where not given.
type amounts struct{ request, limit *amount }

// amount is MiB of memory or thousandths of a core.
type amount struct {
	value int64
	at    place
}

const (
	// maxMiB is an exbibyte: more is a slip, and quantities stay within 64 bits.
	maxMiB = 1 << 40
	// maxCores bounds CPU amounts.
	maxCores = 1_000_000
)

// readAmounts merges memory and CPU: of each the largest over the jobs, where
// mem.request and cpu.request win over the older keys of the same job.
func (r *reader) readAmounts(ro *role, o object) {
	request := o.get("memory")
	if mem := o.get("mem"); mem.present() {
		m := r.object(mem.value, InMemory, mem.path, true)
		if f := m.get("request"); f.present() {
			r.mebibytes(request) // superseded, but no reason to overlook its faults
			request = f
		}
		larger(&ro.run.memory.limit, r.mebibytes(m.get("limit")))
	}
	larger(&ro.run.memory.request, r.mebibytes(request))

	request = o.get("virtual-cpus")
	if cpu := o.get("cpu"); cpu.present() {
		c := r.object(cpu.value, InCPU, cpu.path, true)
		if f := c.get("request"); f.present() {
			r.millicores(request)
			request = f
		}
		larger(&ro.run.cpu.limit, r.millicores(c.get("limit")))
	}
	larger(&ro.run.cpu.request, r.millicores(request))
}

func larger(into **amount, a *amount) {
	if a != nil && (*into == nil || a.value > (*into).value) {
		*into = a
	}
}

// mebibytes reads an amount of memory; 0 is as good as absent.
func (r *reader) mebibytes(f field) *amount {
	if !f.present() {
		return nil
	}
	v, _ := integer(f.value)
	if v < 0 || v > maxMiB {
		r.add(f.at(), Error, CodeInvalidResources, fmt.Sprintf("%q cannot be %d MiB", inRun(f.path), v), fmt.Sprintf("write a number of MiB from 0 to %d", int64(maxMiB)))
		return nil
	}
	if v == 0 {
		return nil
	}
	return &amount{v, f.at()}
}

// millicores reads an amount of CPU, rounded half up to thousandths.
func (r *reader) millicores(f field) *amount {
	if !f.present() {
		return nil
	}
	v, _ := number(f.value)
	if v < 0 || v > maxCores {
		r.add(f.at(), Error, CodeInvalidResources, fmt.Sprintf("%q cannot be %s cores", inRun(f.path), f.value.Value), fmt.Sprintf("write a number of cores from 0 to %d", maxCores))
		return nil
	}
	milli := roundMilli(v)
	if milli == 0 && v > 0 {
		r.add(f.at(), Error, CodeInvalidResources, fmt.Sprintf("%q of %s cores is less than Kubernetes can count", inRun(f.path), f.value.Value), "write at least 0.001")
	}
	if milli == 0 {
		return nil
	}
	return &amount{milli, f.at()}
}

// roundMilli rounds the decimal form of v half up to thousandths, so that 0.0005
// is 1 whatever the binary form says.
func roundMilli(v float64) int64 {
	whole, fraction, _ := strings.Cut(strconv.FormatFloat(v, 'f', -1, 64), ".")
	fraction += "0000"
	milli, err := strconv.ParseInt(whole+fraction[:3], 10, 64)
	if err != nil {
		return 0
	}
	if fraction[3] >= '5' {
		milli++
	}
	return milli
}

// memoryText is `NMi`.
func memoryText(mib int64) string { return strconv.FormatInt(mib, 10) + "Mi" }

// cpuText is `Nm`, or whole cores as `N`.
func cpuText(milli int64) string {
	if milli%1000 == 0 {
		return strconv.FormatInt(milli/1000, 10)
	}
	return strconv.FormatInt(milli, 10) + "m"
}

// inRun is the end of a path, as in `mem.request`.
func inRun(path string) string {
	_, after, _ := strings.Cut(path[max(strings.LastIndex(path, "run."), 0):], ".")
	return after
}
