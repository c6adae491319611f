"""TLS credentials of one cluster: whoever can read the files can use the cluster, nobody else."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ..registry.directory import write_private

if TYPE_CHECKING:
    from distributed.security import Security

VALID_DAYS = 365


def make_credentials(folder: Path) -> Security:
    """Make a certificate for one cluster and write it to ``folder`` (0700, files 0600).

    One self-signed certificate serves scheduler, workers and clients, as in ``Security.temporary``. It differs
    in two points: an elliptic-curve key (milliseconds instead of up to a second for RSA), and a validity that
    starts yesterday, so that a machine whose clock is set back can still connect.

    Returns
    -------
    distributed.Security
        With the credentials in memory.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID
    from distributed.security import Security

    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "gpucluster")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("gpucluster")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
        .sign(key, hashes.SHA256())
    )
    certificate_pem = certificate.public_bytes(serialization.Encoding.PEM).decode()
    key_pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()
    folder.mkdir(mode=0o700, exist_ok=True)
    write_private(folder / "ca.pem", certificate_pem)
    write_private(folder / "cert.pem", certificate_pem)
    write_private(folder / "key.pem", key_pem)
    return Security(
        require_encryption=True,
        tls_ca_file=certificate_pem,
        tls_client_cert=certificate_pem,
        tls_client_key=key_pem,
        tls_scheduler_cert=certificate_pem,
        tls_scheduler_key=key_pem,
        tls_worker_cert=certificate_pem,
        tls_worker_key=key_pem,
    )
