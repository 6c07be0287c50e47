/** Speaks to a service over HTTP as its clients and operators do. */
export interface JsonSide {
  wavenumbers: number[];
  spectra: number[][];
  stone_id?: string;
}

export interface JsonClaim {
  rough: JsonSide;
  polish: JsonSide;
  reject_target?: unknown;
}

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are what the tests examine
  body: any;
  headers: Headers;
}

export class Client {
  address = '';
  operatorKey = '';
  apiKey = '';

  get operator(): Record<string, string> {
    return { 'x-svc-admin': this.operatorKey };
  }

  async call(
    method: string,
    path: string,
    options: { headers?: Record<string, string>; body?: string | FormData | Uint8Array<ArrayBuffer> } = {},
  ): Promise<Answered> {
    const response = await fetch(this.address + path, { method, ...options });
    const text = await response.text();
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {}
    return { status: response.status, body, headers: response.headers };
  }

  json(method: string, path: string, value: unknown, headers: Record<string, string> = {}): Promise<Answered> {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    return this.call(method, path, { body, headers: { 'content-type': 'application/json', ...headers } });
  }

  verify(claim: JsonClaim | string | FormData, headers: Record<string, string> = {}): Promise<Answered> {
    const withKey = { 'x-api-key': this.apiKey, ...headers };
    return claim instanceof FormData
      ? this.call('POST', '/api/v1/verify-match', { body: claim, headers: withKey })
      : this.json('POST', '/api/v1/verify-match', claim, withKey);
  }

  async createKey(name: string, more: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.json('POST', '/api/v1/keys', { name, ...more }, this.operator);
    if (status !== 201) throw new Error(`no key: ${status} ${JSON.stringify(body)}`);
    return body.key;
  }
}
