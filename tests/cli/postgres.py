"""A PostgreSQL server of our own, on a socket in a temporary folder."""
import contextlib
import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


class NoServer(Exception):
    """Why there is none."""


class Server:
    def __init__(self, folder):
        self.environment = {"PGHOST": str(folder), "PGUSER": "suffice", "PGDATABASE": "postgres",
                            "PGCLIENTENCODING": "UTF8", "PGCONNECT_TIMEOUT": "10"}

    def __call__(self, script):
        """What psql prints for a script, which must succeed."""
        result = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1"], input=script, text=True,
                                capture_output=True, timeout=120, env=os.environ | self.environment)
        assert result.returncode == 0, result.stderr[:2000]
        return result.stdout


@contextlib.contextmanager
def server():
    """Raises NoServer where PostgreSQL is not installed or cannot be started."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    if not programs or not shutil.which("psql"):
        raise NoServer("no PostgreSQL server (Debian: postgresql)")
    user = []
    if os.geteuid() == 0:  # the server refuses to run as root
        if not shutil.which("setpriv") or subprocess.run(["id", "postgres"], capture_output=True).returncode:
            raise NoServer("PostgreSQL does not run as root, and there is no user postgres")
        user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    folder = Path(tempfile.mkdtemp(prefix="suffice-postgres-", dir="/tmp"))  # short, as sockets need
    os.chmod(folder, 0o777)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder)}

    def call(program, *words):
        result = subprocess.run([*user, f"{programs[-1]}/{program}", "-D", folder / "data", *words], cwd=folder,
                                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                stdin=subprocess.DEVNULL)
        if result.returncode:
            raise NoServer(f"{program} failed: {result.stderr[-500:]}")
    call("initdb", "-U", "suffice", "-E", "UTF8", "-A", "trust", "-N")
    call("pg_ctl", "-w", "-l", folder / "log", "-o",
         f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off", "start")
    try:
        yield Server(folder)
    finally:
        call("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
