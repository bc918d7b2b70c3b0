import { connect, type Socket } from "node:net";

/**
 * One keep-alive connection with one request at a time, written and read as one character per byte: a client that costs
 * little.
 */
export class Lane {
  readonly #socket: Socket;
  #text = "";
  /** Where the current answer ends; 0 while its head is incomplete. */
  #end = 0;
  #answer: (text: string) => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding("latin1");
    this.#socket.on("error", (error) => this.#fail(error));
    this.#socket.on("data", (chunk: string) => this.#read(chunk));
  }

  /** The `data` of the answer; an error ends the run. Supports only ASCII. */
  async post<Data>(path: string, body: unknown): Promise<Data> {
    const text = JSON.stringify(body);
    const answer = new Promise<string>((resolve, reject) => {
      this.#answer = resolve;
      this.#fail = reject;
    });
    this.#text = "";
    this.#end = 0;
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${text.length}\r\n\r\n${text}`,
      "latin1",
    );
    return (JSON.parse(await answer) as { data: Data }).data;
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text = this.#text === "" ? chunk : this.#text + chunk;
    const text = this.#text;
    if (this.#end === 0) {
      const head = text.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = /content-length: (\d+)/i.exec(text)?.[1];
      this.#end = head + 4 + Number(length);
    }
    if (text.length < this.#end) return;
    if (text.startsWith("HTTP/1.1 20")) this.#answer(text.slice(text.indexOf("\r\n\r\n") + 4));
    else this.#fail(new Error(text.slice(0, 400)));
  }
}
