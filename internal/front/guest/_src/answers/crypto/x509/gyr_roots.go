package x509

// certFiles are where a program's own tree has the certificates that its host trusts (gyr.Config.Roots), and where a granted directory of a
// Linux machine does.
var certFiles = []string{
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/tls/certs/ca-bundle.crt",
	"/etc/ssl/cert.pem",
}
