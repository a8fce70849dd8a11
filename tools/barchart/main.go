// Command barchart draws the results of e2e/bench as SVG: the processor time of
// an admission as a multiple of the yardstick's, by review and by target.
//
//	barchart results.json chart.svg
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"math"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// results are what is drawn of the file.
type results struct {
	Webhook []struct {
		Review string  `json:"review"`
		Target string  `json:"target"`
		Ratio  float64 `json:"ratio"`
	} `json:"webhook"`
}

func run(arguments []string) error {
	if len(arguments) != 2 {
		return errors.New("barchart: give the file with the results and the one to write")
	}
	text, err := os.ReadFile(arguments[0])
	if err != nil {
		return err
	}
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%s: %w", arguments[0], err)
	}
	p, err := chart(r)
	if err != nil {
		return err
	}
	return p.Save(18*vg.Centimeter, 9*vg.Centimeter, arguments[1])
}

// chart has a group of bars for each review, in the order of the file.
func chart(r results) (*plot.Plot, error) {
	var reviews, targets []string
	values := map[string]plotter.Values{}
	for _, x := range r.Webhook {
		if !slices.Contains(reviews, x.Review) {
			reviews = append(reviews, x.Review)
		}
		if !slices.Contains(targets, x.Target) {
			targets = append(targets, x.Target)
		}
		values[x.Target] = append(values[x.Target], x.Ratio)
	}
	p := plot.New()
	p.Title.Text = "CPU time of one admission, as a multiple of the yardstick's"
	p.Y.Label.Text = "ratio to raw"
	p.Y.Min = 0
	p.Legend.Top, p.Legend.Left = true, true
	p.Add(plotter.NewGrid())
	colors := []color.Color{color.RGBA{0x9e, 0xa7, 0xb3, 0xff}, color.RGBA{0x2b, 0x6c, 0xb0, 0xff}, color.RGBA{0x90, 0xc2, 0xe7, 0xff}}
	width := vg.Points(22)
	for i, target := range targets {
		bars, err := plotter.NewBarChart(values[target], width)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", target, err)
		}
		bars.Color = colors[i%len(colors)]
		bars.LineStyle.Width = 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(targets)-1)/2)
		p.Add(bars)
		p.Legend.Add(target, bars)
	}
	p.NominalX(reviews...)
	p.X.Min, p.X.Max = -0.6, float64(len(reviews))-0.4
	p.Y.Max = math.Ceil(p.Y.Max * 1.25) // room for the legend
	p.Y.Tick.Marker = plot.TickerFunc(halves)
	return p, nil
}

// halves are ticks at each half, named at each whole.
func halves(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for x := math.Ceil(2*low) / 2; x <= high; x += 0.5 {
		tick := plot.Tick{Value: x}
		if x == math.Trunc(x) {
			tick.Label = fmt.Sprintf("%.0f", x)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}
