"""Asks other people's libraries what they say of our canonical JSON and of our exports: the second part of `npm run oracles`.

rfc8785 writes 10,000 random documents; documents.json keeps each with the first 16 digits of its SHA-256.
in-toto-attestation validates the statement in export.json; securesystemslib takes its signature, and refuses it with any byte flipped.
The seed is fixed: a new run gives the same documents.
"""
import base64
import copy
import hashlib
import json
import pathlib
import random

import in_toto_attestation.v1.statement_pb2 as statement_pb2
import rfc8785
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

HERE = pathlib.Path(__file__).parent
COUNT = 10_000
rng = random.Random(20260102)
ALPHABET = "aZ09 _/\\\"\b\t\n\r\x01\x1f\x7f\u0080éß€\u2028\ufb33\ud7ff\ue000😂𝄞"


def text():
    return "".join(rng.choice(ALPHABET) for _ in range(rng.randint(0, 6)))


def number():
    kind = rng.randint(0, 4)
    if kind == 0:
        return rng.randint(-(2**53) + 1, 2**53 - 1)
    if kind == 1:
        return rng.randint(-1000, 1000)
    if kind == 2:
        return rng.random() * 10 ** rng.randint(-20, 25)
    if kind == 3:
        return -rng.random() * 10.0 ** rng.randint(-300, 300)
    return rng.randint(-99999, 99999) / 100


def value(depth):
    kind = rng.randint(0, 7 if depth > 0 else 5)
    if kind <= 1:
        return text()
    if kind <= 3:
        return number()
    if kind <= 5:
        return rng.choice([None, True, False])
    if kind == 6:
        return [value(depth - 1) for _ in range(rng.randint(0, 3))]
    return {text(): value(depth - 1) for _ in range(rng.randint(0, 4))}


def documents():
    """Each as a sender may write it, and what rfc8785 makes of the values in it."""
    for _ in range(COUNT):
        document = {text(): value(2) for _ in range(rng.randint(0, 3))}
        written = json.dumps(document, ensure_ascii=rng.random() < 0.2)
        yield [written, hashlib.sha256(rfc8785.dumps(document)).hexdigest()[:16]]


def check_export():
    sample = json.loads((HERE / "export.json").read_text())
    keyid = sample["jwks"]["keys"][0]["kid"]
    key = SSlibKey(keyid, "ed25519", "ed25519", {"public": public_hex(sample)})
    envelope = Envelope.from_dict(copy.deepcopy(sample["envelope"]))
    assert set(envelope.verify([key], 1)) == {keyid}
    payload = base64.b64decode(sample["envelope"]["payload"])
    parsed = statement_of(payload)
    parsed.validate()
    assert parsed.pb.predicate_type == "urn:switchyard:evidence-manifest:v1"
    for at in range(0, len(payload)):
        flipped = copy.deepcopy(sample["envelope"])
        changed = bytearray(payload)
        changed[at] ^= 1
        flipped["payload"] = base64.b64encode(bytes(changed)).decode()
        try:
            Envelope.from_dict(flipped).verify([key], 1)
        except VerificationError:
            continue
        raise AssertionError(f"securesystemslib takes the export with byte {at} flipped")
    return len(payload)


def public_hex(sample):
    x = sample["jwks"]["keys"][0]["x"]
    return base64.urlsafe_b64decode(x + "=" * (-len(x) % 4)).hex()


def statement_of(payload):
    return Statement.copy_from_pb(json_format.Parse(payload.decode(), statement_pb2.Statement()))


rows = list(documents())
lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
(HERE / "documents.json").write_text(f"[\n{lines}\n]\n")
print(f"{len(rows)} documents of rfc8785; an export of {check_export()} bytes taken, and refused with each byte flipped")
