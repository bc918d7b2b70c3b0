import { connect, type Socket } from "node:net";

/** One keep-alive connection with one request at a time, written and read as bytes: a client that costs little. */
export class Lane {
  readonly #socket: Socket;
  #text = "";
  #answer: (body: string) => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("data", (chunk) => this.#read(chunk.toString("utf8")));
  }

  /** The `data` of the answer; anything but success ends the run. */
  async post<Data>(path: string, body: unknown): Promise<Data> {
    const text = JSON.stringify(body);
    const answer = new Promise<string>((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
    });
    this.#text = "";
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
    return (JSON.parse(await answer) as { data: Data }).data;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const end = this.#text.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text.slice(0, end))?.[1]);
    const body = this.#text.slice(end + 4);
    if (Buffer.byteLength(body) < length) return;
    if (/^HTTP\/1.1 20[01]/.test(this.#text)) this.#answer(body);
    else this.#fail(new Error(this.#text.slice(0, 400)));
  }
}
