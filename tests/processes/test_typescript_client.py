"""A client in TypeScript with types from the OpenAPI document."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import meadhall
from processes.process import Process

PROGRAM = Path(__file__).with_name("typescript")


@pytest.mark.long  # npm installs 45 MB
@pytest.mark.skipif(shutil.which("npm") is None and "CI" not in os.environ, reason="npm is not installed")
async def test_a_client_with_types_from_the_document_plays_a_whole_match(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(PROGRAM, tmp_path / "program"))

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    hall = Process(tmp_path)
    await hall.start()
    run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock")
    async with hall.client() as client:
        (folder / "schema.json").write_text((await client.get("/schema/openapi.json")).text, "utf-8")
    run("npx", "openapi-typescript", "schema.json", "--output", "schema.ts", "--default-non-nullable", "false")
    run("npx", "tsc", "--strict", "--target", "es2022", "--module", "es2022", "--moduleResolution", "bundler", "match.ts")
    record = json.loads(run("node", "match.js", hall.url))
    assert meadhall.replay(record).over
