"""Release: what exactly do we release, and is it sound?"""
