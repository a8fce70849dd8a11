package workload

import (
	"bytes"
	"errors"
	"io"
)

// Each calls f for every object of a stream that is a pod or has a pod template,
// in order; nothing is changed or written. For a document that cannot be read,
// err is set, of type *Error, and the object has only Source, Document and Line.
// Each returns the first error of f, or that of reading.
func Each(in io.Reader, source string, f func(object Object, err error) error) error {
	s := newSplitter(in, MaxDocument)
	for {
		c, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		objects, err := chunkObjects(c)
		if err != nil {
			o := outcome{}
			o.fail(source, c, err)
			if err := f(o.results[0].Object, o.results[0].Err); err != nil {
				return err
			}
			continue
		}
		for _, object := range objects {
			object.Source, object.Document, object.node = source, c.index, nil
			if err := f(*object, nil); err != nil {
				return err
			}
		}
	}
}

func chunkObjects(c chunk) ([]*Object, error) {
	if c.err != nil || !mayHoldObjects(c.text) {
		return nil, c.err
	}
	d, err := parse(bytes.TrimPrefix(c.text, utf8BOM), c.line)
	if err != nil {
		return nil, err
	}
	return d.objects()
}
