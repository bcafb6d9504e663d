import os, subprocess

from .stage import HOST, need, need_nats


def authority(folder):
    """Signs certificates in `folder`: what it makes is a pair of files."""
    os.makedirs(folder)
    def openssl(*words): subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=farm", "-days", "2")
    open(os.path.join(folder, "index"), "w").close(); open(os.path.join(folder, "index.attr"), "w").write("unique_subject = no\n")
    open(os.path.join(folder, "ca.conf"), "w").write(
        "[ca]\ndefault_ca = farm\n[farm]\ndatabase = index\nrand_serial = yes\nnew_certs_dir = .\ncertificate = ca.pem\n"
        "private_key = ca.key\ndefault_md = sha256\npolicy = any\ncopy_extensions = copy\n[any]\ncommonName = supplied\n")
    def sign(name, who, *times):
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name,
                "-addext", "subjectAltName=" + who)
        openssl("ca", "-batch", "-config", "ca.conf", "-in", name + ".csr", "-out", name + ".pem", *(times or ("-days", "1")))
        return [f"--cert={folder}/{name}.pem", f"--key={folder}/{name}.key"]
    return sign


def show(stage):
    need_nats(); need("openssl")
    ours, strangers = stage.path("ours"), stage.path("strangers")
    sign, forge = authority(ours), authority(strangers)
    url, ca = f"tls://{HOST}:{stage.port}", ["--ca", ours + "/ca.pem"]
    good = sign("good", "IP:" + HOST + ",DNS:localhost")
    bad = {"of a stranger": forge("forged", "IP:" + HOST), "of another host": sign("other", "IP:10.9.8.7,DNS:elsewhere.example"),
           "of yesterday": sign("expired", "IP:" + HOST, "-startdate", "20200101000000Z", "-enddate", "20200102000000Z"),
           "of tomorrow": sign("early", "IP:" + HOST, "-startdate", "20900101000000Z", "-enddate", "20900102000000Z")}
    expected = stage.alone()
    for whose, files in bad.items():
        srv = stage.server("--tokens", *files)
        token = ["--token-file", stage.path("farm", "worker.token")]
        code, _, said = stage.call("worker", "--farm", url, *ca, *token, "--idle", "1")
        stage.check(f"a certificate {whose}: exit code 4, and said so: {said.strip()[:150]}", code == 4 and "secure connection" in said)
        stage.end(srv)
    srv = stage.server("--tokens")
    code, _, said = stage.call("worker", "--farm", url, *ca, *token, "--idle", "1")
    stage.check("tls:// at a server that has none: exit code 4, and no token goes out in the open", code == 4 and "secure connection" in said)
    stage.end(srv)
    stage.server("--tokens", *good)
    token = lambda who: ["--token-file", stage.path("farm", who + ".token")]
    code, _, said = stage.call("worker", "--farm", url, *token("worker"), "--idle", "1")
    stage.check("nobody named who signed it: exit code 4, and --ca is named", code == 4 and "--ca" in said)
    code, _, said = stage.call("worker", "--farm", stage.url, *token("worker"), "--idle", "1")
    stage.check("nor is that signer trusted at nats://: exit code 4, and --ca is named", code == 4 and "--ca" in said)
    code, _, said = stage.call("worker", "--farm", url, *ca, "--idle", "1")
    stage.check("TLS without a token: exit code 4, and what is missing", code == 4 and "--token-file" in said)
    stage.worker(*ca, *token("worker"), url=url)
    code, out, said = stage.call(*stage.run_words("secure", "--farm", url, *ca, *token("run")))
    stage.check("a run over TLS with tokens: the lineage of one process " + (said[-300:] if code else ""),
                code == 0 and out["lineage_sha256"] == expected and out["farm"]["local"] == 0)
    named = url.replace(HOST, "localhost")
    stage.check("and by the host's name", stage.call("farm", "status", "--farm", named, *ca, *token("run"))[0] == 0)
