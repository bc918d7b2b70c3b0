"""Checks deliveries as receivers do: v1 with standardwebhooks, v1a with cryptography. Reads a list of JSON, prints a list of true and false."""
import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks.webhooks import Webhook, WebhookVerificationError


def is_signed(delivery):
    text, headers = delivery["text"], delivery["headers"]
    if "secret" in delivery:
        try:
            return Webhook(delivery["secret"]).verify(text, headers) == json.loads(text)
        except WebhookVerificationError:
            return False
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(delivery["public_key"].removeprefix("whpk_")))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{text}".encode()
    return any(verifies(key, one[4:], signed) for one in headers["webhook-signature"].split(" ") if one.startswith("v1a,"))


def verifies(key, signature, signed):
    try:
        key.verify(base64.b64decode(signature), signed)
        return True
    except InvalidSignature:
        return False


json.dump([is_signed(delivery) for delivery in json.load(sys.stdin)], sys.stdout)
