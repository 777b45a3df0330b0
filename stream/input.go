package stream

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// An input is the stream whose messages the function gets.
type input struct {
	stream     jetstream.Stream
	name       string
	subject    string // of the pipeline, as publishers write it
	partitions int    // 1: whole; subjects are as they were published
	parted     bool   // stored subjects have the partition in front
}

// partitionedBy finds the number of partitions in a SubjectTransform.
var partitionedBy = regexp.MustCompile(`^\{\{\s*[Pp]artition\(\s*([0-9]+)\s*(,[^)]*)?\)\s*\}\}\.`)

// findInput finds the stream that has a subject.
func findInput(ctx context.Context, js jetstream.JetStream, subject string) (*input, error) {
	name, err := js.StreamNameBySubject(ctx, subject)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, &MissingError{"stream with subject", subject, fmt.Sprintf("make one: gyr-stream init -subject '%s' -partitions 8", subject), err}
	}
	if err != nil {
		return nil, fmt.Errorf("stream: looking for the stream of %s: %w", subject, err)
	}
	s, err := js.Stream(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("stream: stream %s: %w", name, err)
	}
	cfg := s.CachedInfo().Config
	in := &input{s, name, subject, 1, false}
	if cfg.Retention != jetstream.LimitsPolicy {
		return nil, &ConfigError{fmt.Sprintf("stream %s: retention", name), fmt.Errorf("it is %v, under which a message may be gone before a worker has committed it: make a stream with limits that sources it", cfg.Retention)}
	}
	if t := cfg.SubjectTransform; t != nil {
		m := partitionedBy.FindStringSubmatch(t.Destination)
		if m == nil {
			return nil, &ConfigError{fmt.Sprintf("stream %s: subject transform", name), fmt.Errorf("%q does not begin with {{partition(N,…)}}.", t.Destination)}
		}
		if in.partitions, err = strconv.Atoi(m[1]); err != nil || in.partitions < 1 || in.partitions > maxPartitions {
			return nil, &ConfigError{fmt.Sprintf("stream %s: subject transform", name), fmt.Errorf("%s partitions are not between 1 and %d", m[1], maxPartitions)}
		}
		in.parted = true
	}
	return in, nil
}

const maxPartitions = 4096

// filter is the subject of a partition's messages.
func (in *input) filter(partition int) string {
	if !in.parted {
		return in.subject
	}
	return strconv.Itoa(partition) + "." + in.subject
}

// published returns the subject as it was published.
func (in *input) published(stored string) string {
	if in.parted {
		_, stored, _ = strings.Cut(stored, ".")
	}
	return stored
}

// InitInput makes a stream for a subject, whose messages it spreads over partitions by the tokens of
// the subject's wildcards. A subject without wildcards has one partition. The stream's name follows
// from the subject if it is empty. It is an error if a stream has the subject already.
func InitInput(ctx context.Context, js jetstream.JetStream, name, subject string, partitions, replicas int) (jetstream.StreamConfig, error) {
	cfg := jetstream.StreamConfig{Name: name, Subjects: []string{subject}, Replicas: replicas, Storage: jetstream.FileStorage}
	if err := checkSubject(subject, true); err != nil {
		return cfg, &ConfigError{"Subject", fmt.Errorf("%q: %w", subject, err)}
	}
	if partitions < 1 || partitions > maxPartitions {
		return cfg, &ConfigError{"Partitions", fmt.Errorf("%d is not between 1 and %d", partitions, maxPartitions)}
	}
	if name == "" {
		cfg.Name = strings.ToUpper(strings.Trim(strings.NewReplacer(".", "_", "*", "", ">", "").Replace(subject), "_"))
	}
	if partitions > 1 {
		tokens := strings.Split(subject, ".")
		var keys []string
		for i, t := range tokens {
			if t == ">" {
				return cfg, &ConfigError{"Subject", fmt.Errorf("%q: the key of a partition is tokens that * stands for, and > has no fixed number of them", subject)}
			}
			if t == "*" {
				keys = append(keys, strconv.Itoa(len(keys)+1))
				tokens[i] = fmt.Sprintf("{{wildcard(%d)}}", len(keys))
			}
		}
		if len(keys) == 0 {
			return cfg, &ConfigError{"Subject", fmt.Errorf("%q has no *, whose token is the key: it has one partition", subject)}
		}
		cfg.SubjectTransform = &jetstream.SubjectTransformConfig{Source: subject,
			Destination: fmt.Sprintf("{{partition(%d,%s)}}.%s", partitions, strings.Join(keys, ","), strings.Join(tokens, "."))}
	}
	if _, err := js.CreateStream(ctx, cfg); err != nil {
		return cfg, fmt.Errorf("stream: making stream %s: %w", cfg.Name, err)
	}
	return cfg, nil
}
