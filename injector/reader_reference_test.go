package injector

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// library reads like scanner, but leaves JSON to encoding/json. It is the
// reference: slower, and with nothing of its own that could be wrong.
type library struct{}

var _ reader = library{}

type libraryPod struct {
	Metadata struct {
		Annotations map[string]string
		Labels      map[string]string
	}
	Spec struct {
		Containers, InitContainers, EphemeralContainers []json.RawMessage
		Volumes                                         []json.RawMessage
		ImagePullSecrets                                []struct{ Name string }
		RestartPolicy                                   string
		OS                                              struct{ Name string }
		NodeSelector                                    map[string]string
		HostNetwork                                     bool
		HostUsers                                       *bool
		TerminationGracePeriodSeconds                   *int64
		Resources                                       json.RawMessage
		SecurityContext                                 struct {
			WindowsOptions struct{ HostProcess bool }
		}
	}
}

type libraryContainer struct {
	Name, Image, RestartPolicy string
	Ports                      []struct {
		Name, Protocol, HostIP  string
		ContainerPort, HostPort int32
	}
	VolumeMounts  []json.RawMessage
	VolumeDevices []struct{ Name, DevicePath string }
}

func (library) readPod(raw []byte, into *Pod) error {
	into.reset()
	var doc libraryPod
	if err := json.Unmarshal(raw, &doc); err != nil {
		return err
	}
	into.raw = bytes.TrimSpace(raw)
	m, s := &doc.Metadata, &doc.Spec
	a := &into.annotations
	for i, slot := range []*optional{&a.role, &a.inject, &a.main, &a.status, &a.defaultContainer, &a.mirror} {
		if v, ok := m.Annotations[annotationFields[i]]; ok {
			*slot = optional{[]byte(v), true}
		}
	}
	if v, ok := m.Labels[InjectedLabel]; ok {
		into.labels.injected = optional{[]byte(v), true}
	}
	into.os, into.nodeOS, into.restart = []byte(s.OS.Name), []byte(s.NodeSelector[nodeSelectorField]), []byte(s.RestartPolicy)
	into.hostNetwork, into.ownUsers = s.HostNetwork, s.HostUsers != nil && !*s.HostUsers
	into.hostProcess = s.SecurityContext.WindowsOptions.HostProcess
	if s.TerminationGracePeriodSeconds != nil {
		into.grace = seconds{*s.TerminationGracePeriodSeconds, true}
	}
	if string(s.Resources) != "null" {
		into.resources = s.Resources
	}
	into.hasAnnotations, into.hasLabels = m.Annotations != nil, m.Labels != nil
	into.hasInits, into.hasVolumes, into.hasSecrets = s.InitContainers != nil, s.Volumes != nil, s.ImagePullSecrets != nil
	for _, x := range s.ImagePullSecrets {
		into.secrets = append(into.secrets, []byte(x.Name))
	}
	for _, v := range s.Volumes {
		if err := libraryVolume(into, v); err != nil {
			return err
		}
	}
	for where, list := range [][]json.RawMessage{s.Containers, s.InitContainers, s.EphemeralContainers} {
		for i, c := range list {
			if err := libraryReadContainer(into, place(where), i, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// libraryVolume reads the members of a volume in their order.
func libraryVolume(into *Pod, raw []byte) error {
	v := podVolume{source: emptyDirSource, allowed: true, raw: raw}
	d := json.NewDecoder(bytes.NewReader(raw))
	open, err := d.Token()
	if err != nil {
		return err
	}
	if open != nil && open != json.Delim('{') {
		return errors.New("a volume is not an object")
	}
	for open != nil && d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		switch {
		case key == "name":
			var name string
			if err := json.Unmarshal(value, &name); err != nil {
				return err
			}
			v.name = []byte(name)
		case string(value) != "null":
			v.addSource([]byte(key.(string)))
		}
	}
	into.volumes = append(into.volumes, v)
	return nil
}

func libraryReadContainer(into *Pod, where place, index int, raw []byte) error {
	var c libraryContainer
	if err := json.Unmarshal(raw, &c); err != nil {
		return err
	}
	k := podContainer{place: where, index: index, raw: raw, name: []byte(c.Name), image: []byte(c.Image), restart: []byte(c.RestartPolicy), hasMounts: c.VolumeMounts != nil}
	k.ports.from, k.mounts.from, k.devices.from = len(into.ports), len(into.mounts), len(into.devices)
	for _, p := range c.Ports {
		into.ports = append(into.ports, podPort{[]byte(p.Name), []byte(p.Protocol), []byte(p.HostIP), p.ContainerPort, p.HostPort})
	}
	for _, raw := range c.VolumeMounts {
		var m struct{ Name, MountPath string }
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		into.mounts = append(into.mounts, podMount{[]byte(m.Name), []byte(m.MountPath), raw})
	}
	for _, d := range c.VolumeDevices {
		into.devices = append(into.devices, podDevice{[]byte(d.Name), []byte(d.DevicePath)})
	}
	k.ports.to, k.mounts.to, k.devices.to = len(into.ports), len(into.mounts), len(into.devices)
	into.containers = append(into.containers, k)
	return nil
}

func (l library) readReview(body []byte, into *Request) error {
	var doc struct {
		APIVersion, Kind string
		Request          *struct {
			UID, Namespace, Name, Operation, SubResource string
			DryRun                                       bool
			Resource                                     struct{ Group, Resource string }
			Object                                       json.RawMessage
		}
	}
	*into = Request{}
	if err := json.Unmarshal(body, &doc); err != nil {
		return err
	}
	if r := doc.Request; r != nil {
		into.UID, into.Namespace, into.Name, into.Operation, into.SubResource = []byte(r.UID), []byte(r.Namespace), []byte(r.Name), []byte(r.Operation), []byte(r.SubResource)
		into.DryRun, into.Group, into.Resource = r.DryRun, []byte(r.Resource.Group), []byte(r.Resource.Resource)
		if len(r.Object) > 0 {
			if err := l.readPod(r.Object, &into.Pod); err != nil {
				return err
			}
		}
	}
	switch {
	case doc.APIVersion != reviewVersion || doc.Kind != reviewKind:
		return ErrNotAReview
	case doc.Request == nil || doc.Request.UID == "":
		return ErrNoRequest
	}
	return nil
}

// podView is a Pod without views and spans, for comparison. Containers come in
// the order of their lists, since a document may have the lists in any order.
type podView struct {
	Raw, OS, NodeOS, Restart, Resources             string
	Annotations                                     [6]string
	Injected                                        string
	Grace                                           string
	Host, OwnUsers, HostProcess                     bool
	HasAnnotations, HasLabels, HasInits, HasVolumes bool
	HasSecrets                                      bool
	Containers, Volumes, Secrets                    []string
}

func viewOf(p *Pod) podView {
	a := &p.annotations
	v := podView{
		Raw: string(p.raw), OS: string(p.os), NodeOS: string(p.nodeOS), Restart: string(p.restart), Resources: string(p.resources),
		Injected: show(p.labels.injected), Grace: fmt.Sprint(p.grace), Host: p.hostNetwork, OwnUsers: p.ownUsers, HostProcess: p.hostProcess,
		HasAnnotations: p.hasAnnotations, HasLabels: p.hasLabels, HasInits: p.hasInits, HasVolumes: p.hasVolumes, HasSecrets: p.hasSecrets,
	}
	for i, o := range []optional{a.role, a.inject, a.main, a.status, a.defaultContainer, a.mirror} {
		v.Annotations[i] = show(o)
	}
	for where := inContainers; where <= inEphemeral; where++ {
		for i := range p.containers {
			c := &p.containers[i]
			if c.place != where {
				continue
			}
			text := fmt.Sprintf("%s %d %q %q %q %t %s", where.field(), c.index, c.name, c.image, c.restart, c.hasMounts, c.raw)
			for _, x := range p.portsOf(c) {
				text += fmt.Sprintf("\nport %q %q %q %d %d", x.name, x.protocol, x.hostIP, x.number, x.host)
			}
			for _, x := range p.mountsOf(c) {
				text += fmt.Sprintf("\nmount %q %q %s", x.name, x.path, x.raw)
			}
			for _, x := range p.devicesOf(c) {
				text += fmt.Sprintf("\ndevice %q %q", x.name, x.path)
			}
			v.Containers = append(v.Containers, text)
		}
	}
	for _, x := range p.volumes {
		v.Volumes = append(v.Volumes, fmt.Sprintf("%q %s %t %t %s", x.name, x.source, x.allowed, x.template, x.raw))
	}
	for _, x := range p.secrets {
		v.Secrets = append(v.Secrets, string(x))
	}
	return v
}

func show(o optional) string {
	if !o.set {
		return ""
	}
	return fmt.Sprintf("%q", o.value)
}

// stricter are the errors of scanner that encoding/json does not know: each is
// for a document that two readers could understand differently, or that no API
// server sends.
var stricter = []string{"stands twice", "must be written", "invalid UTF-8", "levels deep", "a container is null"}

// compareReaders fails where the two readers differ on a pod.
func compareReaders(t *testing.T, raw []byte) {
	t.Helper()
	var got, want Pod
	err, ref := scanner{}.readPod(raw, &got), library{}.readPod(raw, &want)
	if !sameErrors(t, raw, err, ref) {
		return
	}
	if diff := cmp.Diff(viewOf(&want), viewOf(&got)); diff != "" {
		t.Errorf("%q: encoding/json (-), scanner (+):\n%s", raw, diff)
	}
}

// sameErrors reports whether there are fields to compare.
func sameErrors(t *testing.T, raw []byte, err, ref error) bool {
	t.Helper()
	switch {
	case err == nil && ref == nil:
		return true
	case err == nil:
		t.Errorf("%q: scanner takes it, encoding/json says %v", raw, ref)
	case ref == nil:
		for _, s := range stricter {
			if strings.Contains(err.Error(), s) {
				return false
			}
		}
		t.Errorf("%q: encoding/json takes it, scanner says %v", raw, err)
	}
	return false
}

func compareReviews(t *testing.T, body []byte) {
	t.Helper()
	var got, want Request
	err, ref := scanner{}.readReview(body, &got), library{}.readReview(body, &want)
	for _, known := range []error{ErrNotAReview, ErrNoRequest} {
		if errors.Is(err, known) && errors.Is(ref, known) {
			return
		}
	}
	if !sameErrors(t, body, err, ref) {
		return
	}
	show := func(r *Request) string {
		return fmt.Sprintf("%q %q %q %q %q %q %q %t", r.UID, r.Namespace, r.Name, r.Operation, r.SubResource, r.Group, r.Resource, r.DryRun)
	}
	if show(&got) != show(&want) {
		t.Errorf("%q: scanner %s, encoding/json %s", body, show(&got), show(&want))
	}
	if diff := cmp.Diff(viewOf(&want.Pod), viewOf(&got.Pod)); diff != "" {
		t.Errorf("%q: encoding/json (-), scanner (+):\n%s", body, diff)
	}
}
