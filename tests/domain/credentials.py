"""Texts that hold a credential, all made up, and texts that look as if they did."""

from collections.abc import Iterator


def _made(alphabet: str, count: int) -> str:
    """So many letters without an order, the same each time."""
    state, made = 7, ""
    for _ in range(count):
        state = (state * 1103515245 + 12345) % (1 << 31)
        made += alphabet[(state >> 16) % len(alphabet)]
    return made


UPPER, DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
LETTERS, HEX = UPPER + UPPER.lower() + DIGITS, "0123456789abcdef"
BODY = "\n".join(_made(LETTERS, 64) for _ in range(6))


def forms() -> Iterator[tuple[str, str]]:
    """Credentials by their form: the kind and one of it, put together here so that no scanner of code finds them."""
    yield "private key", f"-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}\n-----END OPENSSH PRIVATE KEY-----"
    yield "private key", f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"
    yield "private key", f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{BODY}\n-----END PGP PRIVATE KEY BLOCK-----"
    yield "private key", f"-----BEGIN PRIVATE KEY-----\\n{_made(LETTERS, 200)}\\n-----END PRIVATE KEY-----"
    yield "AWS key", "AKIA" + _made(UPPER + "234567", 16)
    yield "GitHub token", "ghp_" + _made(LETTERS, 36)
    yield "GitHub token", "github_pat_" + _made(LETTERS, 22) + "_" + _made(LETTERS, 59)
    yield "GitLab token", "glpat-" + _made(LETTERS, 20)
    yield "Slack token", f"xoxb-{_made(DIGITS, 12)}-{_made(DIGITS, 12)}-{_made(LETTERS, 24)}"
    yield "Slack webhook", _made(LETTERS, 24)
    yield "Stripe key", "sk_live_" + _made(LETTERS, 24)
    yield "webhook secret", "whsec_" + _made(LETTERS, 32)
    yield "Anthropic key", "sk-ant-api03-" + _made(LETTERS, 90)
    yield "OpenAI key", "sk-proj-" + _made(LETTERS, 60)
    yield "OpenAI key", "sk-" + _made(LETTERS, 20) + "T3BlbkFJ" + _made(LETTERS, 20)
    yield "OpenRouter key", "sk-or-v1-" + _made(HEX, 64)
    yield "Google key", "AIza" + _made(LETTERS, 35)
    yield "Google secret", "GOCSPX-" + _made(LETTERS, 28)
    yield "npm token", "npm_" + _made(LETTERS, 36)
    yield "PyPI token", "pypi-AgEIcHlwaS5vcmc" + _made(LETTERS, 60)
    yield "Hugging Face token", "hf_" + _made(LETTERS, 34)
    yield "DigitalOcean token", "dop_v1_" + _made(HEX, 64)
    yield "SendGrid key", f"SG.{_made(LETTERS, 22)}.{_made(LETTERS, 43)}"
    yield "Twilio key", "SK" + _made(HEX, 32)
    yield "Shopify token", "shpat_" + _made(HEX, 32)
    yield "Databricks token", "dapi" + _made(HEX, 32)
    yield "Vault token", "hvs." + _made(LETTERS, 40)
    yield "age key", "AGE-SECRET-KEY-1" + _made(UPPER, 58)
    yield "JSON web token", f"eyJ{_made(LETTERS, 33)}.eyJ{_made(LETTERS, 60)}.{_made(LETTERS, 43)}"


SETTINGS = {"Slack webhook": "https://hooks.slack.com/services/T0AB12CD3/B0AB12CD3/{}"}
"""What some forms stand in: elsewhere they are no credential."""

NAMED = [
    ("My password is {}", "hunter2-Tr0ub4dor"),
    ("My wifi password is {}.", "correcthorse"),
    ("Asha's password is {}", "correct-horse-battery-staple"),
    ("The router password is {}, she says", "sunshineforever"),
    ("the wifi password is {}.", "Sunshine#42"),
    ("Asha says the password for the router is {}, don't tell", "g4rden-gn0me"),
    ("Password: {}", "Winter2025!"),
    ("my password is {}", "123456"),
    ("The passphrase was '{}'", "swordfish"),
    ("PIN is {}", "4821"),
    ("the PIN of my card is {}!", "90210"),
    ("DB_PASSWORD={}", "hunter2secret9x"),
    ('password = "{}"', "kj3h4g5KJH"),
    ('{{"password": "{}"}}', "pa55-of-mine"),
    ("export API_KEY={}", "9f8a7b6c5d4e3f2a1b0c"),
    ("api_key: '{}'", "Zq81kLm20PxWvT"),
    ("client_secret = '{}'", "8Kq-Lw2~pX9zRt4"),
    ("aws_secret_access_key = {}", "h7Gk2+Lp9QzXcVbNm4Rt6YwE8sDfA1jK3uI5oP0q"),
    ("Authorization: Bearer {}", "a8F3kL9mN2pQ5rS7tU1vW4xY6z"),
    ("postgres://asha:{}@db.internal:5432/app", "s3a-b1scuit"),
    ("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}", _made(LETTERS, 86) + "=="),
    ("bot token 12345678:{}", "AA" + _made(LETTERS, 33)),
    ("我的密码是{}", "Xk39fLq2"),
    ("我的密码是{}。", "888888"),
    ("WiFi 密码：{}", "kafei2024!"),
    ("邮箱的登录密码改成了{}，别忘了", "Qw3rty!9"),
    ("密码为“{}”", "tiger#88"),
    ("मेरा पासवर्ड {} है", "Monsoon#77"),
    ("माझा पासवर्ड {} आहे", "pune@411"),
    ("पासवर्ड: {}", "chai9chai"),
    ("बँकेचा पिन {} आहे", "४८२१"),
    ("एटीएम का पिन है {}", "4821"),
    ("パスワードは{}です", "sakura-77"),
    ("Mi contraseña es {}", "verano#25"),
    ("Das Passwort ist {}", "Sommer-2025!"),
]
"""Sentences and assignments, each with what it gives away."""

HARMLESS = [
    "apiKey = 'YOUR_API_KEY'",
    "api_key: <your key here>",
    'API_KEY="${API_KEY}"',
    "password = os.environ['DB_PASSWORD']",
    "const token = process.env.GITHUB_TOKEN;",
    "token = getpass.getpass('Token: ')",
    "password = config.database.password2",
    "self.password = password1",
    "token: str = next_token2",
    "secret = sha256(b'x' * 32)",
    "password: string",
    "password: uint256",
    "password_hash = 'argon2id'",
    "max_tokens: 4096, token: 128000",
    "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ."
    "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
    "postgres://postgres:postgres@localhost/app",
    "postgres://user:password@localhost/app",
    "https://user:${PASSWORD}@example.org/",
    "A key begins with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "-----BEGIN PUBLIC KEY-----\n" + BODY + "\n-----END PUBLIC KEY-----",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "session 550e8400-e29b-41d4-a716-446655440000",
    "token: 550e8400-e29b-41d4-a716-446655440000",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "sk-proj-your-key-goes-here-and-is-rather-long-really",
    "The user forgot the password again.",
    "my password is stored in 1Password",
    "the password is too weak",
    "The password was changed on 2026-03-01.",
    "Her password is 12 characters long",
    "password is [redacted password]",
    "the LED pin is 13",
    "the pin is GPIO17",
    "PIN code 411001, Pune",
    "Shopping: 2 pins",
    "The secret is patience.",
    "Secret: she likes jazz",
    "the token is valid for 3600 seconds",
    "password=********",
    "Bearer authentication is used",
    "The keys are under the mat; key: 4",
    "用户忘记了密码",
    "密码是什么？",
    "密码长度为12到64位",
    "密码是SHA256加密的",
    "他把密码改成了更安全的，并且开启了双重验证。",
    "这个口令是大家都知道的",
    "पासवर्ड भूल गया",
    "पासवर्ड कम से कम 12 अक्षर का हो",
    "पिन कोड 411001",
    "माझा पासवर्ड विसरलो",
    "He said the password is secret",
    "tokens = tokenizer.encode(text)",
    "my password is everywhere",
    "Her password is alphanumeric.",
    "our password is understood",
    "his password is her grandmother's name",
    "My password is unforgettable.",
    "my password manager is bitwardencloud",
    "Our password policy is ridiculous",
    "her password is an abbreviation",
    "Your password is case-sensitive",
    "my password is end-to-end-encrypted",
    "A cache key: user-1234-profile",
]
"""Placeholders, code that reads a variable, documentation, digests, and talk of passwords."""
