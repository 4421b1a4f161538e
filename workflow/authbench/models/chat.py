"""Ask a language model at an endpoint that speaks OpenAI's chat completions.

The key is read from an environment variable and sent to this endpoint only: redirects are not followed, and neither
answers nor errors repeat it.
"""

import os
import re
from collections.abc import Callable, Mapping

import orjson
import requests
from urllib3.exceptions import HTTPError

from authbench.build.acquire.transfer import BUSY, Passing, refuse
from authbench.core.errors import InputError
from authbench.core.json_values import JsonObject
from authbench.core.printable import printable
from authbench.core.storage.json_files import parse_foreign_json
from authbench.models.parameters import PromptParameters

MOST_BYTES = 1 << 20  # of a reply
TIMEOUT = (20, 600)  # seconds to connect, and between bytes: the first comes when the model has finished
SHOWN = 300  # characters of a refusal in an error


def key_of(parameters: PromptParameters) -> str:
    """Return the key of an endpoint from its environment variable; empty if it needs none.

    Raises:
        InputError: the variable is not set to a key.
    """
    if parameters.key is None:
        return ""
    key = os.environ.get(parameters.key, "").strip()
    if not re.fullmatch("[!-~]+", key):
        raise InputError(f"${parameters.key} holds no key for {parameters.endpoint}. Set it, e.g. in the shell.")
    return key


def request_of(parameters: PromptParameters, message: str) -> bytes:
    """Return the body of the request, which with the endpoint decides the answer."""
    return orjson.dumps(
        {
            "model": parameters.model,
            "messages": [{"role": "user", "content": message}],
            "temperature": 0,
            "seed": 0,
            "max_tokens": parameters.max_tokens,
        }
    )


def send(endpoint: str, body: bytes, key: str) -> JsonObject:
    """Send a request; return `answer`, and `prompt_tokens` and `completion_tokens`, null if the host states none.

    Raises:
        Passing: the host is busy, or the connection broke.
        InputError: the host refuses the request, or its reply is not a chat completion.
    """
    url = f"{endpoint.rstrip('/')}/chat/completions"
    try:
        with requests.post(
            url,
            data=body,
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity"},
            auth=_bearer(key),  # also keeps requests from reading ~/.netrc
            stream=True,
            timeout=TIMEOUT,
            allow_redirects=False,
            proxies={"http": ""},  # http is for this machine
        ) as reply:
            status, after = reply.status_code, reply.headers.get("Retry-After")
            content = reply.raw.read(MOST_BYTES + 1, decode_content=False)
    except (requests.ConnectionError, requests.Timeout, HTTPError) as error:  # their messages contain the whole address
        raise Passing(f"the line broke ({type(error).__name__})") from None
    except requests.RequestException as error:
        raise InputError(f"{url} cannot be asked ({type(error).__name__})") from None
    if status in (*BUSY, 401, 403) or not 300 <= status < 500:
        refuse(status, after, url)
    else:
        said = content.decode(errors="replace")
        raise InputError(f"{url} answers {status}: {printable(_without(key, said)[:SHOWN])}")
    if len(content) > MOST_BYTES:
        raise InputError(f"{url} replies with more than {MOST_BYTES:,} bytes.")
    if (found := _completion(parse_foreign_json(content, url))) is None:
        raise InputError(f"{url} replies with something else than a chat completion.")
    answer = found["answer"].encode(errors="replace").decode()  # a lone surrogate cannot be written
    return found | {"answer": _without(key, answer)}


def _without(key: str, text: str) -> str:
    return text.replace(key, "***") if key else text


def _bearer(key: str) -> Callable[[requests.PreparedRequest], requests.PreparedRequest]:
    def add(request: requests.PreparedRequest) -> requests.PreparedRequest:
        if key:
            request.headers["Authorization"] = f"Bearer {key}"
        return request

    return add


def _completion(reply: Mapping[str, object]) -> JsonObject | None:
    """Return the parts of a chat completion; None for another object. An answer of null is an empty text."""
    match reply:
        case {"choices": [{"message": {"content": (str() | None) as answer}}, *_]}:
            found: dict[str, object] = {"answer": answer or "", "prompt_tokens": None, "completion_tokens": None}
        case _:
            return None
    match reply:
        case {"usage": {"prompt_tokens": int(asked), "completion_tokens": int(answered)}}:
            found |= {"prompt_tokens": asked, "completion_tokens": answered}
    return found
