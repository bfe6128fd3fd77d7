from __future__ import annotations

from django.apps import AppConfig


class ReviewsConfig(AppConfig):
    name = "curation.reviews"

    def ready(self) -> None:
        from curation.reviews.registration import register

        register()
