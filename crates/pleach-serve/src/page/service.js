// Calls of the service.

/** What the service said was wrong. */
export class ServiceError extends Error {
  constructor(status, detail) {
    super(detail.message || `the service answered ${status}`);
    this.status = status;
    this.code = detail.code || "";
    this.line = detail.line;
    this.column = detail.column;
  }
}

let token = sessionStorage.getItem("pleach-token") || "";

const headers = (extra) => (token ? { ...extra, authorization: `Bearer ${token}` } : extra);

const failed = async (response) => {
  let detail = {};
  try {
    detail = (await response.json()).error || {};
  } catch {
    // Not every proxy speaks JSON.
  }
  return new ServiceError(response.status, detail);
};

// A page that may not ask without a token asks its user for one, once.
const ask = async (address, options) => {
  let response;
  try {
    response = await fetch(address, { ...options, headers: headers(options.headers) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServiceError(0, { message: "the service can't be reached", code: "unreachable" });
  }
  if (response.status === 401) {
    const given = window.prompt("This service needs a token:", "");
    if (given) {
      token = given.trim();
      sessionStorage.setItem("pleach-token", token);
      response = await fetch(address, { ...options, headers: headers(options.headers) });
    }
  }
  if (!response.ok) throw await failed(response);
  return response;
};

const post = (address, body, accept, signal, type = "application/json") =>
  ask(address, { method: "POST", body, signal, headers: { "content-type": type, accept } });

/** The models and limits. */
export const models = async () => (await ask("v1/models", { headers: {} })).json();

/** Parses text or sentences. */
export const parse = async (request, signal) =>
  (await post("v1/parse", JSON.stringify(request), "application/json", signal)).json();

/** Drawings of sentences, or of two readings of each. */
export const draw = async (request, signal) =>
  (await post("v1/draw", JSON.stringify(request), "application/json", signal)).json();

/** One picture of sentences, as a file. */
export const picture = async (request) =>
  (await post("v1/draw", JSON.stringify(request), "image/svg+xml")).text();

/** Scores of one reading against another. */
export const evaluate = async (request, signal) =>
  (await post("v1/eval", JSON.stringify(request), "application/json", signal)).json();

/** Derivations. */
export const derive = async (request, signal) =>
  (await post("v1/oracle", JSON.stringify(request), "application/json", signal)).json();

/** The three trees of every graph. */
export const trees = async (request, signal) =>
  (await post("v1/trees", JSON.stringify(request), "application/json", signal)).json();

/** The sentences of a file's content, in whatever format. */
export const read = async (content, from, signal) =>
  (await post(`v1/convert?to=json&from=${encodeURIComponent(from)}`, content, "application/json", signal,
    "application/octet-stream")).json();

/** Sentences as a file of a format. */
export const convert = async (sentences, to) =>
  (await post(`v1/convert?to=${encodeURIComponent(to)}`, JSON.stringify({ sentences }), "*/*")).text();
