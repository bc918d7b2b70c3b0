"""Holds the providers of notifications against other people's servers and readers; writes webhooks.json for the tests.

npm run oracles:notify: needs Python 3 with aiosmtpd 1.4.6, standardwebhooks 1.1.0 and http-ece 1.2.1 (PYTHON names the interpreter).
aiosmtpd answers 421, 450, 550, or cuts the connection at every step; standardwebhooks checks the signature of a webhook and signs
samples of its own; http-ece opens a push.
"""
import base64
import datetime
import http.server
import json
import os
import pathlib
import random
import socket
import subprocess
import threading

import http_ece
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from standardwebhooks.webhooks import Webhook

FOLDER = pathlib.Path(__file__).parent
# By the name of the recipient: what the attempt must come to, and how often the content of the mail arrives.
EXPECTED = {
    "ok": ("accepted", 1),
    "mail421": ("not_sent", 0),
    "mail450": ("not_sent", 0),
    "mail550": ("refused", 0),
    "rcpt421": ("not_sent", 0),
    "rcpt450": ("not_sent", 0),
    "rcpt550": ("refused", 0),
    "data421": ("not_sent", 0),
    "data450": ("not_sent", 0),
    "data550": ("refused", 0),
    "end421": ("not_sent", 1),
    "end450": ("not_sent", 1),
    "end550": ("refused", 1),
    "cutrcpt": ("not_sent", 0),
    "cutdata": ("not_sent", 0),
    "cutend": ("maybe_sent", 1),
}
contents = {}


def name_of(address):
    return address.split("@")[0]


class Answers:
    async def handle_RCPT(self, server, session, envelope, address, options):
        name = name_of(address)
        if name == "cutrcpt":
            server.transport.abort()
            return "250 never read"
        if name.startswith(("rcpt", "mail")):
            return f"{name[4:]} as asked"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        name = name_of(envelope.rcpt_tos[0])
        contents[name] = contents.get(name, 0) + 1
        if name == "cutend":
            server.transport.abort()
            return "250 never read"
        return f"{name[3:]} as asked" if name.startswith("end") else "250 taken"


class Server(SMTP):
    async def smtp_DATA(self, arg):
        name = name_of(self.envelope.rcpt_tos[0]) if self.envelope.rcpt_tos else ""
        if name == "cutdata":
            self.transport.abort()
        elif name.startswith("data"):
            await self.push(f"{name[4:]} as asked")
        else:
            await super().smtp_DATA(arg)


class Smtp(Controller):
    def factory(self):
        return Server(self.handler)


seen = {}


class Recorder(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        seen[self.path] = (dict(self.headers), self.rfile.read(int(self.headers["content-length"])))
        self.send_response(201)
        self.end_headers()

    def log_message(self, *args):
        pass


def samples():
    rng = random.Random(20260101)
    made = []
    for _ in range(50):
        secret = base64.b64encode(rng.randbytes(rng.randint(24, 64))).decode()
        key = ("whsec_" if rng.random() < 0.5 else "") + secret
        identity = f"msg_{rng.getrandbits(64):x}"
        when = datetime.datetime.fromtimestamp(rng.randint(10**9, 2 * 10**9), datetime.timezone.utc)
        body = json.dumps({"text": "".join(chr(rng.choice([65, 228, 8364, 128512])) for _ in range(9))})
        signature = Webhook(key).sign(identity, when, body)
        # Both read a secret without the prefix as base64; ours is always written with it.
        made.append({"secret": f"whsec_{secret}", "id": identity, "at": int(when.timestamp()), "body": body, "signature": signature})
    return made


def main():
    private = ec.generate_private_key(ec.SECP256R1())
    public = private.public_key().public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
    )
    auth = os.urandom(16)
    secret = f"whsec_{base64.b64encode(os.urandom(24)).decode()}"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    mail = Smtp(Answers(), hostname="127.0.0.1", port=port)
    mail.start()
    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    text = lambda raw: base64.urlsafe_b64encode(raw).decode().rstrip("=")
    command = ["node", "--import", "tsx", "--conditions=source", "test/oracles/notify.ts"]
    arguments = [str(port), str(web.server_address[1]), text(public), text(auth), secret]
    addresses = [f"{name}@example.com" for name in EXPECTED]
    done = subprocess.run(command + arguments + addresses, capture_output=True, text=True, cwd=FOLDER.parent.parent)
    mail.stop()
    web.shutdown()
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    for name, (outcome, times) in EXPECTED.items():
        got = told["mails"][f"{name}@example.com"]
        assert got["type"] == outcome, (name, outcome, got)
        assert contents.get(name, 0) == times, (name, times, contents)
    assert told["webhook"]["type"] == "accepted" and told["push"]["type"] == "accepted", told
    headers, body = seen["/hook"]
    assert Webhook(secret).verify(body.decode(), headers)["data"]["delivery_key"] == "01JDELIVERY.1"
    opened = http_ece.decrypt(seen["/push"][1], private_key=private, auth_secret=auth, version="aes128gcm")
    assert json.loads(opened)["title"] == "Grüße", opened
    (FOLDER / "webhooks.json").write_text(json.dumps(samples(), indent=1) + "\n")
    print(f"{len(EXPECTED)} mails, a webhook and a push as expected; webhooks.json written")


main()
