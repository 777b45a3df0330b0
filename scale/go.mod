// A module of its own with no requirement: it computes from figures that chain and stream have measured.
module github.com/gyrvm/gyr/scale

go 1.26.0
