// Package images makes the archives that cluster suites load into nodes: that of
// the product, from the Dockerfile, and that of the stand-ins.
package images

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path"
)

// image is one image of an archive; all images of an archive have the same layer.
type image struct {
	// name with tag, for example "example.org/nginx:1.27".
	name string
	// entrypoint is what the image runs.
	entrypoint []string
}

// writeArchive writes images, each of one layer with the file program, in the
// format of `docker save`, which docker, containerd and kind read. The same input
// gives the same bytes.
func writeArchive(w io.Writer, architecture, program string, images []image) error {
	layer, err := layerOf(program)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(layer)
	layerName := hex.EncodeToString(digest[:]) + ".tar"
	out := tar.NewWriter(w)
	if err := add(out, layerName, 0o644, layer); err != nil {
		return err
	}
	type entry struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	var manifest []entry
	for _, image := range images {
		config, err := json.Marshal(map[string]any{
			"architecture": architecture, "os": "linux",
			"config": map[string]any{"Entrypoint": image.entrypoint},
			"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(digest[:])}},
		})
		if err != nil {
			return err
		}
		sum := sha256.Sum256(config)
		name := hex.EncodeToString(sum[:]) + ".json"
		if err := add(out, name, 0o644, config); err != nil {
			return err
		}
		manifest = append(manifest, entry{Config: name, RepoTags: []string{image.name}, Layers: []string{layerName}})
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	if err := add(out, "manifest.json", 0o644, text); err != nil {
		return err
	}
	return out.Close()
}

// layerOf is a layer with one executable in its root.
func layerOf(program string) ([]byte, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var layer bytes.Buffer
	out := tar.NewWriter(&layer)
	if err := add(out, path.Base(program), 0o755, text); err != nil {
		return nil, err
	}
	return layer.Bytes(), out.Close()
}

func add(out *tar.Writer, name string, mode int64, text []byte) error {
	if err := out.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(text)), Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	_, err := out.Write(text)
	return err
}
