package queue

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const pemType = "PRIVATE KEY"

// LoadKey reads a private key in PKCS #8, as openssl writes it. It makes a missing file with a new
// key, which only its owner can read.
func LoadKey(file string) (ed25519.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		if err := newKey(file); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		text, err = os.ReadFile(file)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil || block.Type != pemType {
		return nil, fmt.Errorf("%s: no %s in PEM", file, pemType)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: a %T, want a key of ed25519", file, parsed)
	}
	return key, nil
}

// newKey writes a new key into a file that does not exist.
func newKey(file string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	// The file gets its name when it is whole, so that nobody reads half a key.
	f, err := os.CreateTemp(filepath.Dir(file), ".key-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	err = pem.Encode(f, &pem.Block{Type: pemType, Bytes: der})
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), file)
}

// PublicKey is the text of a private key's public key, by which a worker or a session is known.
func PublicKey(key ed25519.PrivateKey) string {
	return base64.StdEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
}

// ParseKey reads the text of a public key.
func ParseKey(text string) (ed25519.PublicKey, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, &RefusedError{RefusedKey, fmt.Sprintf("%.60q", text), fmt.Sprintf("%d bytes of an ed25519 key in base64", ed25519.PublicKeySize)}
	}
	return key, nil
}

// A Signed is a JSON text with a signature.
type Signed struct {
	Body      json.RawMessage `json:"body"`
	Key       string          `json:"key"` // public key
	Signature []byte          `json:"signature"`
}

// Sign signs a value as a text of a kind: a signature for one kind does not hold for another.
func Sign(key ed25519.PrivateKey, kind string, v any) (*Signed, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	s := &Signed{Body: body, Key: PublicKey(key)}
	s.Signature = ed25519.Sign(key, s.text(kind))
	return s, nil
}

// text is what is signed. Its body has the form that encoding/json gives to a text inside of
// another one, so a text that was passed on has the same signature.
func (s *Signed) text(kind string) []byte {
	body, err := json.Marshal(s.Body)
	if err != nil {
		body = s.Body
	}
	return append([]byte("gyr research "+kind+"\n"), body...)
}

// Read verifies the signature and reads the body. Whether the key may sign is for the caller to
// decide. Errors are of type [*RefusedError].
func (s *Signed) Read(kind string, v any) error {
	if s == nil || len(bytes.TrimSpace(s.Body)) == 0 {
		return &RefusedError{RefusedText, "nothing", "a signed " + kind}
	}
	key, err := ParseKey(s.Key)
	if err != nil {
		return err
	}
	if !ed25519.Verify(key, s.text(kind), s.Signature) {
		return &RefusedError{RefusedSignature, "it is not that of a " + kind + " by " + s.Key, ""}
	}
	if err := json.Unmarshal(s.Body, v); err != nil {
		return &RefusedError{RefusedText, err.Error(), "a " + kind}
	}
	return nil
}
