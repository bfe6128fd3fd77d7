from __future__ import annotations

from django.test import SimpleTestCase, override_settings

from workbench.live.routing import same_origin


@override_settings(
    ALLOWED_HOSTS=["proofroom.example", "localhost"],
    CSRF_TRUSTED_ORIGINS=["https://wiki.example"],
)
class SameOriginTest(SimpleTestCase):
    def test_a_page_of_the_site_may(self) -> None:
        for origin, host in (
            ("https://proofroom.example", "proofroom.example"),
            ("http://localhost:8000", "localhost:8000"),
            ("https://PROOFROOM.example", "proofroom.EXAMPLE"),
        ):
            with self.subTest(origin=origin):
                self.assertTrue(same_origin(origin, host))

    def test_a_trusted_origin_may(self) -> None:
        self.assertTrue(same_origin("https://wiki.example", "proofroom.example"))
        self.assertFalse(same_origin("http://wiki.example", "proofroom.example"))

    def test_others_may_not(self) -> None:
        for origin, host in (
            ("https://evil.example", "proofroom.example"),
            ("http://localhost:9999", "localhost:8000"),
            ("https://proofroom.example.evil.example", "proofroom.example"),
            ("https://evil.example/proofroom.example", "proofroom.example"),
            ("https://proofroom.example@evil.example", "proofroom.example"),
            ("https://evil.example", "evil.example"),
            ("null", "proofroom.example"),
            ("", "proofroom.example"),
            ("", ""),
            ("https://[", "proofroom.example"),
            ("file://proofroom.example", "proofroom.example"),
        ):
            with self.subTest(origin=origin, host=host):
                self.assertFalse(same_origin(origin, host))
